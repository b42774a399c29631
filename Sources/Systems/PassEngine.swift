import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// The results of one step of a member; if it failed, those before the failure.
struct StepReport {
  /// The transactions that it will merge; `nil` if it did not fetch.
  var fetched: [Int64]?
  /// The transactions whose merge a hook finished.
  var finished: [Int64] = []
  /// The transactions delivered to observers.
  var observed: [Int64] = []
  /// The merged transactions; `nil` if the pass did not merge.
  var merged: [Int64]?
  /// The recorded position; `nil` if the pass did not record.
  var cursor: HistoryToken?
  /// The members that its purge marked as lost.
  var lost: [ActorID] = []
}

/// The implementation of the steps of one launch of a member.
///
/// A step fills its report even when it throws.
protocol PassEngine: AnyObject {
  /// The launch's entry in the registry.
  var registration: Registration { get }

  /// Performs a single step of a pass.
  func step(_ step: PassStep, _ report: inout StepReport) throws(HistoryError) -> TrackerStep
  /// Performs a whole pass.
  func pass(_ report: inout StepReport) throws(HistoryError)
  /// Purges the transactions that every member has merged.
  func purge(_ report: inout StepReport) throws(HistoryError)
  /// Reads the data again, and continues from the newest position.
  func resync() throws(HistoryError) -> HistoryToken
  /// Ends the membership.
  func retire() throws(HistoryError)
  /// Delivers a signal of the store.
  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError)
  /// Disables the plan's effects on hooks.
  func recover()
  /// Discards the engine's memory.
  func end()

  /// A snapshot of the engine's memory; `nil` if it cannot be restored.
  var snapshot: PassEngineSnapshot? { get }
  /// Adds the engine's memory.
  func describe(_ state: inout StateSketch)
}

/// A snapshot of the memory of a launch's engine.
enum PassEngineSnapshot {
  case core(CoreEngine.Snapshot)
  case tracker(TrackerEngine.Snapshot)

  /// Creates an engine from the snapshot.
  func engine(
    _ setup: TrackerSetup,
    _ process: PlanProcess
  ) throws(HistoryError) -> any PassEngine {
    switch self {
    case .core(let snapshot): try CoreEngine(snapshot, setup, process)
    case .tracker(let snapshot): try TrackerEngine(snapshot, setup, process)
    }
  }
}

extension PassEngine {
  /// Fetches new transactions.
  func fetch(_ report: inout StepReport) throws(HistoryError) {
    report.fetched = try step(.fetch, &report).fetched
  }

  /// Calls the hooks with the fetched transactions, and merges these.
  func merge(_ report: inout StepReport) throws(HistoryError) {
    report.merged = try step(.merge, &report).merged
  }

  /// Records the merged position.
  func record(_ report: inout StepReport) throws(HistoryError) {
    report.cursor = try step(.record, &report).cursor
  }

  /// Performs a step that a replaced process still completes.
  func perform(_ step: BelatedStep, _ report: inout StepReport) throws(HistoryError) {
    switch step {
    case .record: try record(&report)
    case .purge: try purge(&report)
    case .resync: _ = try resync()
    case .pass: try pass(&report)
    case .fetch: try fetch(&report)
    }
  }
}
