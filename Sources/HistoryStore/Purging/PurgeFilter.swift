/// Whose history a purge deletes.
///
/// There is no filter on what changed: what is gone is remembered for each author, so that every token
/// that a purge leaves a gap behind is told so.
public struct PurgeFilter: Sendable, Hashable {
  /// The authors, nothing among them for transactions without one; all authors if there is no set.
  public var authors: Set<String?>?
  /// The names of contexts, nothing among them for transactions without one; all if there is no set.
  public var contextNames: Set<String?>?

  /// Creates a filter; without arguments it lets everything through.
  public init(authors: Set<String?>? = nil, contextNames: Set<String?>? = nil) {
    self.authors = authors
    self.contextNames = contextNames
  }
}
