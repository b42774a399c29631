import HistoryStore
import PersistentHistory

extension Mutant {
  /// What a save or batch request writes is wrong.
  static let writing: [Mutant] = [
    Mutant(
      "write-data-alone",
      least: 3,
      "The data are written outside the history's transaction: they stay when that fails."
    ) { $0.writing.isAtomic = false },
    Mutant("write-number-again", least: 2, "A transaction gets the number of the one before it.") {
      $0.writing.nextNumber = { max($0, 1) }
    },
    Mutant(
      "write-number-gaps",
      least: 2,
      under: ["retention"],
      "Every second number is left out: limits count transactions that there are none of."
    ) { $0.writing.nextNumber = { $0 + 2 } },
    Mutant("write-keys-again", least: 2, "Two connections give out the same keys.") {
      $0.writing.reservedKeys = "0"
    },
    Mutant("write-version-ahead", least: 2, "A row takes the version of the next transaction.") {
      $0.writing.rowVersion = { $0 + 1 }
    },
    Mutant(
      "write-conflict-unseen",
      least: 3,
      "A save does not look whether a row has changed since."
    ) {
      $0.writing.sameVersion = "1"
    },
    Mutant(
      "write-last-column-only",
      least: 2,
      "Of an update of several attributes the last is written."
    ) {
      $0.writing.edits = { edits in edits.map(\.keepingLastColumn) }
    },
  ]

  /// What history tells of a write is wrong.
  static let telling: [Mutant] = [
    Mutant("tell-no-author", least: 1, "History names no author.") {
      $0.writing.author = { _ in nil }
    },
    Mutant("tell-first-column-only", least: 2, "An update tells no column but the first.") {
      $0.writing.toldColumns = 1
    },
    Mutant(
      "tell-column-unset",
      least: 2,
      "An update tells the first column, whether it set it or not."
    ) {
      $0.writing.inventedColumns = 1
    },
    Mutant("tell-no-tombstone", least: 2, "A delete leaves no tombstone.") {
      $0.writing.tombstone = { _, _ in 0 }
    },
    Mutant("tell-no-batch-tombstone", least: 2, "A delete by a batch request leaves no tombstone.")
    {
      $0.writing.tombstone = { preserved, isBatch in isBatch ? 0 : preserved }
    },
  ]

  /// What the clock does to history is wrong.
  static let timing: [Mutant] = [
    Mutant(
      "clock-raw",
      least: 3,
      "A timestamp is the clock's reading, also when the clock stepped back."
    ) {
      $0.writing.lifted = { now, _ in now }
    },
    Mutant(
      "clock-ties",
      least: 3,
      "Two transactions have one time when the clock stood still or stepped back."
    ) { $0.writing.lifted = { _, previous in previous } },
  ]

  /// Whom a commit is told to is wrong, or a pass that it leads to.
  static let signalling: [Mutant] = [
    Mutant("signal-none", least: 1, under: ["lost-notification"], "A commit is told to nobody.") {
      $0.signals = { _ in false }
    },
    Mutant(
      "signal-every-second",
      least: 1,
      under: ["lost-notification"],
      "Every second commit is told to nobody."
    ) { $0.signals = { $0 % 2 == 0 } },
    Mutant(
      "signal-before-commit",
      least: 1,
      under: ["lost-notification"],
      "A commit is told to others before they can see it."
    ) { $0.signalMoment = .beforeCommit },
    Mutant(
      "signal-starts-late",
      least: 3,
      under: ["lost-notification", "restart"],
      "A tracker that starts waits for a signal: what was written before is merged after the next."
    ) { $0.catchesUp = false },
    Mutant(
      "hook-failure-passed-over",
      least: 3,
      under: ["hook-failure"],
      "An observer that throws is not told again."
    ) { $0.hooksFailPasses = false },
  ]
}

extension ObjectEdit {
  /// The edit without all but the last of the attributes that it updates.
  fileprivate var keepingLastColumn: ObjectEdit {
    guard type == .update, let value = values.last else { return self }
    var edit = self
    edit.columns = 1 << UInt64(63 - columns.leadingZeroBitCount)
    edit.values = [value]
    return edit
  }
}
