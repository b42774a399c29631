import Workloads

/// What the authors of a system made it for, so that a break outside of that can be marked as such.
struct StatedUse: Hashable, Sendable {
  /// What they ask of an app, in a sentence.
  let sentence: String
  /// The conditions that break what they ask, each with how it does.
  let outside: [Condition: String]

  /// Whether a condition lies within what the authors ask.
  func covers(_ condition: Condition) -> Bool { outside[condition] == nil }
}
