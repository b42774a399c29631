import PersistentHistory

/// The bounds of an exploration: the number of actors and the maximum number of commands.
struct ExploreScope: Hashable, Sendable, Codable {
  var actors: Int
  var depth: Int

  /// The default scopes.
  static let usual = [ExploreScope(actors: 2, depth: 6), ExploreScope(actors: 3, depth: 5)]
  /// The scopes of a quick exploration.
  static let quick = [ExploreScope(actors: 2, depth: 5)]

  /// The scope as a phrase: `2 actors to depth 6`.
  var sentence: String { "\(actors.counted("actor")) to depth \(depth)" }
}
