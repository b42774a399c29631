/// The authors and contexts whose history a purge deletes.
///
/// A purge cannot filter by changes: the purged positions are recorded per author, so that every
/// token with a gap after it expires.
public struct PurgeFilter: Sendable, Hashable {
  /// The authors, with `nil` for transactions without one; a `nil` set selects all authors.
  public var authors: Set<String?>?
  /// The context names, with `nil` for transactions without one; a `nil` set selects all contexts.
  public var contextNames: Set<String?>?

  /// Creates a filter; without arguments it selects all history.
  public init(authors: Set<String?>? = nil, contextNames: Set<String?>? = nil) {
    self.authors = authors
    self.contextNames = contextNames
  }
}
