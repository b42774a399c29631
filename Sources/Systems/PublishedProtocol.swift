/// The rules in which a published system differs from the others.
///
/// One implementation serves all systems. All have in common: one date for each author in a
/// defaults store, a fetch strictly after the own date, and a pass that stores the date of the last
/// transaction that it fetched. An empty fetch changes no date. A purge deletes strictly before a
/// date, whether or not every author has merged the transactions.
package struct PublishedProtocol: Sendable {
  /// The system's name in the lab.
  package private(set) var name: String
  /// A one-sentence description.
  package private(set) var sentence: String

  /// The authors whose transactions a fetch requests.
  var reading = Reading.others
  /// The time when its hooks are called, if it has any.
  var hooks = HookTime.never
  /// Whether it stores the date before it merges, because the merge waits for the view's queue.
  var recordsBeforeMerge = false
  /// Whether it can be configured to merge the imports of a CloudKit mirror.
  var mayReadMirror = false
  /// Whether it merges into several contexts.
  var hasContexts = false

  /// The rule for the date of a purge after a pass, if a strategy allows one.
  var bound: PurgeBound
  /// The rule for the date of a purge by command; `nil` if it has no manual cleaner.
  var manualBound: PurgeBound?
  /// The transactions that a purge deletes before that date.
  var deleting = Deleting.listed
  /// Whether a purge removes the dates of all authors.
  var forgetsDates = false
  /// The purge strategy after a pass, unless the plan names one.
  var strategy = CleanStrategy.none
  /// Whether the first pass of each round purges; otherwise the last one does.
  var firstPassCleans = true

  /// Whether each process keeps its dates in its own defaults store.
  var keepsDatesApart = false
  /// An author that every process lists, without a manager of its own.
  var idleAuthor: String?

  /// The authors whose transactions a fetch requests.
  enum Reading {
    /// The other listed authors.
    case others
    /// The other listed authors, or all authors if no other is listed.
    case othersOrEverything
    /// The other listed authors, and the own author's context "batchContext".
    case othersAndOwnBatch
    /// All authors except the own one, listed or not.
    case allButOwn
  }

  /// The time when hooks are called.
  enum HookTime {
    case never
    /// Observers, then merge hooks, before the merge; one that throws ends the pass.
    case beforeMerge
    /// A deduplicator, after the date is stored.
    case afterRecord
  }

  /// The transactions that a cleaner deletes.
  enum Deleting {
    /// The transactions of the listed authors, its own included.
    case listed
    /// The same, and after a pass also a mirror's imports if the process merges them.
    case listedAndMirror
    /// All transactions.
    case everything
  }

  /// Returns the same system under another name, with some rules changed.
  func named(
    _ name: String,
    _ sentence: String,
    _ change: (inout PublishedProtocol) -> Void
  ) -> PublishedProtocol {
    var other = self
    (other.name, other.sentence) = (name, sentence)
    change(&other)
    return other
  }

  /// The commands and features that the system supports.
  package var capabilities: Set<Capability> {
    var all: Set<Capability> = [
      .steps, .begin, .clock, .crash, .history, .batch, .nullAuthor, .config, .signals, .consume,
      .policies,
    ]
    if manualBound != nil { all.insert(.purge) }
    if hooks == .beforeMerge { all.insert(.hooks) }
    if hasContexts { all.insert(.contexts) }
    return all
  }
}
