package import PersistentHistory

/// The decisions about what a page of history holds.
package struct FetchingRules: Sendable {
  /// How the number of a transaction is compared with the cursor.
  package var afterCursor = ">"
  /// What must hold of every transaction besides, as SQL that begins with AND.
  package var condition = ""
  /// How the numbers of the transactions run.
  package var order = "ASC"
  /// Through where a page has read that ends before history does.
  package var pageEnd = PageEnd.lastRead
  /// Whether a transaction is the one that a token was made from, by their marks; one that is not there
  /// has none.
  package var isSame: @Sendable (_ mark: Int64?, _ token: HistoryToken) -> Bool = {
    $0 == $1.mark
  }
  /// The authors that a member leaves out: those that it was told to.
  package var ignoredAuthors: @Sendable (_ patterns: Set<String>, _ own: String?) -> Set<String> = {
    patterns,
    _ in patterns
  }
  /// Whether an author is among those that a member leaves out.
  package var ignores: @Sendable (_ author: String?, _ patterns: Set<String>) -> Bool = {
    AuthorPatterns.match($0, $1)
  }

  package init() {}
}

/// A place where a page may end before history does.
package enum PageEnd: Sendable, Hashable {
  /// Behind the last transaction that was read to its end.
  case lastRead
  /// Behind the transaction that the page has no room for.
  case lastMet
  /// Behind the newest transaction.
  case head
}
