import HistoryStore
import PersistentHistory

extension Mutant {
  /// What a merge brings into contexts is wrong.
  static let merging: [Mutant] = [
    Mutant(
      "merge-own-writer-only",
      least: 1,
      "A context brings in what it saved itself, and nothing else."
    ) {
      $0.merging.merges = { $0 == $1 }
    },
    Mutant("merge-skips-batches", least: 1, "A context brings in nothing that a batch request did.")
    {
      $0.merging.merges = { writer, context in writer != context && writer != 0 }
    },
    Mutant(
      "merge-skips-siblings",
      least: 1,
      "What one context of an actor saved is not brought into its others."
    ) { $0.merging.concerns = { $0 == $1 } },
    Mutant(
      "merge-first-context-only",
      least: 1,
      "Only the first context of an actor is merged into."
    ) {
      $0.merging.contextCount = { min($0, 1) }
    },
    Mutant("merge-backwards", least: 2, "The transactions of a page are merged last to first.") {
      $0.merging.order = { $0.reversed() }
    },
    Mutant("merge-twice", least: 1, "The transactions of a page are merged twice.") {
      $0.merging.order = { $0 + $0 }
    },
    Mutant(
      "merge-skips-last",
      least: 2,
      "The last of several transactions of a page is not merged."
    ) {
      $0.merging.order = { $0.count > 1 ? $0.dropLast() : $0 }
    },
    Mutant(
      "merge-skips-first",
      least: 2,
      "The first of several transactions of a page is not merged."
    ) {
      $0.merging.order = { $0.count > 1 ? Array($0.dropFirst()) : $0 }
    },
    Mutant("merge-misses-inserts", least: 1, "A merge leaves out inserts.") {
      $0.merging.missedTypes = [.insert]
    },
    Mutant("merge-misses-updates", least: 2, "A merge leaves out updates.") {
      $0.merging.missedTypes = [.update]
    },
    Mutant("merge-misses-deletes", least: 2, "A merge leaves out deletes.") {
      $0.merging.missedTypes = [.delete]
    },
    Mutant(
      "merge-stale-refetch",
      least: 2,
      "A row that was written by the transaction before is not read again for the next."
    ) { $0.merging.newVersion = { $0 - 1 } },
  ]
}
