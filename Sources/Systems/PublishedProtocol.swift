/// What a published system does where it differs from the others: the rules that one implementation of
/// all of them goes by.
///
/// What they have in common: a date for each author in a defaults store, a fetch strictly after the
/// own one, a pass that keeps the date of the last transaction that it fetched, and nothing of all this
/// after an empty fetch; a delete strictly before a date, whoever has merged what goes.
package struct PublishedProtocol: Sendable {
  /// Its name in the lab.
  package private(set) var name: String
  /// What it is.
  package private(set) var sentence: String

  /// Whose transactions a fetch asks for.
  var reading = Reading.others
  /// When its hooks are called, if it has any.
  var hooks = HookTime.never
  /// Whether it keeps the date before it merges, since the merge waits for the view's queue.
  var recordsBeforeMerge = false
  /// Whether it can be told to merge what a CloudKit mirror imports.
  var mayReadMirror = false
  /// Whether it merges into several contexts.
  var hasContexts = false

  /// How it finds the date to delete before after a pass, where a strategy lets it.
  var bound: PurgeBound
  /// How its cleaner finds the date by command; nothing where it has none.
  var manualBound: PurgeBound?
  /// What it deletes before that date.
  var deleting = Deleting.listed
  /// Whether all authors' dates are forgotten once it has deleted.
  var forgetsDates = false
  /// When it deletes after a pass unless the plan says otherwise.
  var strategy = CleanStrategy.none
  /// Whether the first of so many passes deletes, or the last.
  var firstPassCleans = true

  /// Whether each process keeps its dates in a defaults store of its own.
  var keepsDatesApart = false
  /// An author that everyone lists and under which no manager runs.
  var idleAuthor: String?

  /// Whose transactions a fetch asks for.
  enum Reading {
    /// Those of the other listed authors.
    case others
    /// The same, and without any filter where no other author is listed.
    case othersOrEverything
    /// Those of the other listed authors, and its own from the context "batchContext".
    case othersAndOwnBatch
    /// Those that it did not write itself, listed or not.
    case allButOwn
  }

  /// When hooks are called.
  enum HookTime {
    case never
    /// Observers, then merge hooks, before the merge; one that throws ends the pass.
    case beforeMerge
    /// A deduplicator, once the date is kept.
    case afterRecord
  }

  /// What a cleaner deletes.
  enum Deleting {
    /// The listed authors' transactions, its own included.
    case listed
    /// The same, and after a pass what a mirror imported where that is merged.
    case listedAndMirror
    /// Everything.
    case everything
  }

  /// The same system under another name, changed where it differs.
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

  /// What it can be asked to do.
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
