package import HistoryStore

/// A seeded bug: our own code with one of its rules replaced.
///
/// Names are stable: runs, plans and other processes hold them. These five are also tried in processes
/// that are really killed:
///
/// - `record-before-merge`: the record comes before the merge;
/// - `signal-before-commit`: others are signalled before the commit;
/// - `purge-outside-transaction`: the purge is not in the transaction of what it goes by;
/// - `record-last-match`: the cursor is the last transaction that matched;
/// - `join-without-snapshot`: a registration without a snapshot.
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

  /// The seeded bug with a name, `mutant/` before it or not; nothing if there is none.
  package static func named(_ name: String) -> Mutant? {
    let own = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...]
    return all.first { $0.name == own }
  }

  /// What stands before the name of a mutant among those of other systems.
  package static let prefix = "mutant/"

  /// Every seeded bug, in the order of its step.
  package static let all =
    fetching + merging + recording + purging + joining + losing + writing + telling + timing
    + signalling
}
