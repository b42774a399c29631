import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// The results of one step of a member; after a failure, the results before the failure.
struct StepReport {
  /// The transactions that the member will merge; `nil` if the step did not fetch.
  var fetched: [Int64]?
  /// The transactions whose merge a hook finished.
  var finished: [Int64] = []
  /// The transactions delivered to observers.
  var observed: [Int64] = []
  /// The merged transactions; `nil` if the pass did not merge.
  var merged: [Int64]?
  /// The recorded position; `nil` if the pass did not record.
  var cursor: HistoryToken?
  /// The members that the step's purge marked as lost.
  var lost: [ActorID] = []
}

/// A tracker or its core that performs the steps of a member, from one launch to its end.
///
/// A step fills its report even when it throws.
protocol PassEngine: AnyObject {
  /// The member's entry in the store's registry, for this launch.
  var registration: Registration { get }

  /// Performs a single step of a pass.
  func step(_ step: PassStep, _ report: inout StepReport) throws(HistoryError) -> TrackerStep
  /// Performs a whole pass.
  func pass(_ report: inout StepReport) throws(HistoryError)
  /// Purges the transactions that every member has merged.
  func purge(_ report: inout StepReport) throws(HistoryError)
  /// Reads the data again, and continues from the newest position.
  func resync() throws(HistoryError) -> HistoryToken
  /// Ends the member's membership.
  func retire() throws(HistoryError)
  /// Delivers a signal that the store has committed a transaction.
  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError)
  /// Disables the plan's effects on hooks.
  func recover()
  /// Ends the engine, and discards its memory.
  func end()

  /// A snapshot of the engine's memory; `nil` if the current memory could not be restored.
  var snapshot: PassEngineSnapshot? { get }
  /// Adds the engine's memory to a sketch of the system's state.
  func describe(_ state: inout StateSketch)
}

/// A snapshot of the memory of an engine of either kind.
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

  /// Calls the hooks with the fetched transactions, and merges these transactions.
  func merge(_ report: inout StepReport) throws(HistoryError) {
    report.merged = try step(.merge, &report).merged
  }

  /// Records the merged position.
  func record(_ report: inout StepReport) throws(HistoryError) {
    report.cursor = try step(.record, &report).cursor
  }

  /// Performs the rest of a step in a process that a later launch has replaced.
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
