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
    Mutant(
      "purge-ignores-consumers",
      "The watermark leaves consumers out: what a mirror has not read is purged."
    ) { $0.watermark = "SELECT min(cursor) FROM history_member WHERE state = 0 AND kind = 0" },
    Mutant("record-unmerged", "A record notes what was fetched, whether it was merged or not.") {
      $0.recordsUnmerged = true
    },
    Mutant("hook-failure-passed-over", "An observer that throws is not told again.") {
      $0.hooksFailPasses = false
    },
    Mutant("cut-off-too-early", "A retention limit cuts off who is just within it.") {
      $0.cutOff = $0.cutOff.replacing("cursor < ?1", with: "cursor <= ?1")
    },
    Mutant("cut-off-consumers", "A retention limit cuts off consumers, too.") {
      $0.cutOff = $0.cutOff.replacing(" AND kind = 0", with: "")
    },
    Mutant("loss-untold", "A member that was cut off, and one whose history is gone, is not told.")
    {
      $0.tellsLoss = false
    },
    Mutant("signals-dropped", "A commit is told to nobody.") {
      $0.signals = { _ in false }
    },
  ]
}
