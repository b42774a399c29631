import Workloads

/// The use that the authors of a system state, so that violations outside of it can be marked.
struct StatedUse: Hashable, Sendable {
  /// The requirements on an app, in a sentence.
  let sentence: String
  /// The conditions that violate the requirements, each with the reason.
  let outside: [Condition: String]

  /// Returns whether a condition meets the authors' requirements.
  func covers(_ condition: Condition) -> Bool { outside[condition] == nil }
}
