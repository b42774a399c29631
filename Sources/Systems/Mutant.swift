package import HistoryStore

/// A seeded bug: our own code with one member of its rules replaced.
package struct Mutant: Sendable {
  /// The name, without the prefix `mutant/`.
  package let name: String
  /// What is wrong with it.
  package let sentence: String
  /// The rules, one of them wrong.
  package let rules: HistoryRules

  private init(_ name: String, _ sentence: String, _ break: (inout HistoryRules) -> Void) {
    var rules = HistoryRules.standard
    `break`(&rules)
    self.name = name
    self.sentence = sentence
    self.rules = rules
  }

  /// Every seeded bug, in the order of its step.
  package static let all: [Mutant] = [
    Mutant(
      "fetch-at-cursor",
      "A fetch returns the transaction at the cursor again, not the ones behind it."
    ) { $0.afterCursor = "=" },
    Mutant("merge-own-writer-only", "A context brings in what it saved itself, and nothing else.") {
      $0.merges = { $0 == $1 }
    },
    Mutant(
      "purge-by-greatest-cursor",
      "The watermark is the greatest cursor: what the slowest member has not merged is purged."
    ) { $0.watermark = "SELECT max(cursor) FROM history_member WHERE state = 0" },
    Mutant("purge-to-head", "A purge ignores the watermark.") {
      $0.purgeBound = { wanted, _, head in min(wanted, head - 1) }
    },
  ]
}
