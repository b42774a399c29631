/// The decisions about what a purge removes.
package struct PurgingRules: Sendable {
  /// The position that everyone has merged, from the members' cursors; null without a member.
  package var watermark = "SELECT min(cursor) FROM history_member WHERE state = 0"
  /// Whether the record that comes with a purge is made in the transaction that reads the registry for
  /// it, not in one of its own when the purge is over.
  package var isWithRecord = true
  /// The last number that a purge removes: never the head's, so that numbers are not used again.
  package var bound: @Sendable (_ wanted: Int64, _ watermark: Int64, _ head: Int64) -> Int64 = {
    min($0, $1, $2 - 1)
  }
  /// Whether the transactions of an author are never purged; a trailing `*` stands for any ending.
  package var protects: @Sendable (_ author: String?, _ patterns: Set<String>) -> Bool = {
    AuthorPatterns.match($0, $1)
  }
  /// How many transactions one chunk deletes: it holds the write lock for milliseconds.
  package var chunkCount: Int64 = 1000
  /// The last number of a chunk that holds at most so many transactions.
  package var chunkEnd: @Sendable (_ first: Int64, _ count: Int64, _ through: Int64) -> Int64 = {
    min($0 + $1 - 1, $2)
  }
  /// Whether a chunk through a number leaves what an author wrote who is purged through another.
  package var keeps: @Sendable (_ purged: Int64, _ end: Int64) -> Bool = { $0 < $1 }

  package init() {}
}
