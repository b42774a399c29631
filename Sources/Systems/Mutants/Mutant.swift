package import HistoryStore

/// A seeded bug: our own code with one member of its rules replaced.
package struct Mutant: Sendable {
  /// The name, without the prefix `mutant/`; it begins with the step that is wrong.
  package let name: String
  /// What is wrong with it.
  package let sentence: String
  /// The kinds of trouble without which it does not show, by their names on the command line; none
  /// where those do that plans contain anyway.
  package let conditions: [String]
  /// The number of commands of the shortest plan that is known to show it; 0 where none is.
  package let least: Int
  /// Why no plan can show it, if none can.
  package let equivalence: String?
  /// The rules, one of them wrong.
  package let rules: HistoryRules

  package init(
    _ name: String,
    least: Int = 0,
    under conditions: [String] = [],
    sameBecause equivalence: String? = nil,
    _ sentence: String,
    _ break: (inout HistoryRules) -> Void
  ) {
    var rules = HistoryRules.standard
    `break`(&rules)
    self.name = name
    self.sentence = sentence
    self.conditions = conditions
    self.least = least
    self.equivalence = equivalence
    self.rules = rules
  }

  /// Every seeded bug, in the order of its step.
  package static let all =
    fetching + merging + recording + purging + joining + losing + writing + telling + timing
    + signalling
}
