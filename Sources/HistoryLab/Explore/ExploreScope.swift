import PersistentHistory

/// How many actors take part in plans of how many commands.
struct ExploreScope: Hashable, Sendable, Codable {
  var actors: Int
  var depth: Int

  /// What is explored unless someone says otherwise.
  static let usual = [ExploreScope(actors: 2, depth: 6), ExploreScope(actors: 3, depth: 5)]
  /// What a quick exploration covers.
  static let quick = [ExploreScope(actors: 2, depth: 5)]

  /// The scope in words: `2 actors to depth 6`.
  var sentence: String { "\(actors.counted("actor")) to depth \(depth)" }
}
