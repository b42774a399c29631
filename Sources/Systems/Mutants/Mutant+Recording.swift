import HistoryStore
import PersistentHistory

extension Mutant {
  /// What a member records is wrong.
  static let recording: [Mutant] = [
    Mutant(
      "record-unmerged",
      least: 3,
      "A record notes what was fetched, whether it was merged or not."
    ) {
      $0.recording.position = .fetched
    },
    Mutant(
      "record-before-merge",
      least: 3,
      "A pass records what it has fetched, and then merges it."
    ) {
      $0.passSteps = [.fetch, .record, .merge, .purge]
      $0.recording.position = .fetched
    },
    Mutant(
      "record-outside-transaction",
      least: 5,
      under: ["same-actor-twice"],
      "A record goes by the look at the registry that the fetch before it took, in its transaction."
    ) { $0.recording.condition = "id = ?1 AND state = 0 AND cursor <= ?3" },
    Mutant(
      "record-head",
      least: 2,
      "A record notes the newest transaction, whether it was fetched or not."
    ) {
      $0.recording.position = .head
    },
    Mutant(
      "record-last-match",
      least: 2,
      "A member has merged through the last transaction of a page that concerned it: behind a page "
        + "without one it never goes on."
    ) { $0.recording.mergedThrough = { _, merged in merged.last?.token } },
    Mutant("record-of-everyone", least: 3, "A record moves the cursors of all members.") {
      $0.recording.condition = "state = 0 AND cursor <= ?3"
    },
    Mutant("record-lost", least: 4, "A record is not kept, and nobody is told.") {
      $0.recording.condition = "0"
    },
    Mutant("record-lost-by-purge", least: 4, "A record that comes with a purge is not kept.") {
      $0.recording.isKeptByPurge = false
    },
    Mutant(
      "record-stale-mark",
      least: 4,
      "A record moves the number of a cursor, and leaves its mark."
    ) {
      $0.recording.assignments = "cursor = ?3, seen = ?5"
    },
  ]
}
