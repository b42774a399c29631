import HistoryStore
import PersistentHistory

extension Mutant {
  /// What a merge brings into contexts is wrong.
  static let merging: [Mutant] = [
    Mutant("merge-own-writer-only", "A context brings in what it saved itself, and nothing else.") {
      $0.merging.merges = { $0 == $1 }
    },
    Mutant("merge-skips-batches", "A context brings in nothing that a batch request did.") {
      $0.merging.merges = { writer, context in writer != context && writer != 0 }
    },
    Mutant(
      "merge-skips-siblings",
      "What one context of an actor saved is not brought into its others."
    ) { $0.merging.concerns = { $0 == $1 } },
    Mutant("merge-first-context-only", "Only the first context of an actor is merged into.") {
      $0.merging.contextCount = { min($0, 1) }
    },
    Mutant("merge-backwards", "The transactions of a page are merged last to first.") {
      $0.merging.order = { $0.reversed() }
    },
    Mutant("merge-twice", "The transactions of a page are merged twice.") {
      $0.merging.order = { $0 + $0 }
    },
    Mutant("merge-skips-last", "The last of several transactions of a page is not merged.") {
      $0.merging.order = { $0.count > 1 ? $0.dropLast() : $0 }
    },
    Mutant("merge-skips-first", "The first of several transactions of a page is not merged.") {
      $0.merging.order = { $0.count > 1 ? Array($0.dropFirst()) : $0 }
    },
    Mutant("merge-misses-inserts", "A merge leaves out inserts.") {
      $0.merging.missedTypes = [.insert]
    },
    Mutant("merge-misses-updates", "A merge leaves out updates.") {
      $0.merging.missedTypes = [.update]
    },
    Mutant("merge-misses-deletes", "A merge leaves out deletes.") {
      $0.merging.missedTypes = [.delete]
    },
    Mutant(
      "merge-stale-refetch",
      "A row that was written by the transaction before is not read again for the next."
    ) { $0.merging.newVersion = { $0 - 1 } },
  ]
}
