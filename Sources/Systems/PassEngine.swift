import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// The results of one step or whole pass of a member, up to a failure if there is one.
struct StepReport {
  /// The fetched transactions that the member will merge; `nil` if the step did not fetch.
  var fetched: [Int64]?
  /// The transactions for which a merge hook replaced the default merge.
  var finished: [Int64] = []
  /// The transactions delivered to observers.
  var observed: [Int64] = []
  /// The transactions that the member merged; `nil` if the step did not merge.
  var merged: [Int64]?
  /// The position that the member recorded; `nil` if the step did not record.
  var cursor: HistoryToken?
  /// The members that the step's purge marked as lost, because they exceeded a retention limit.
  var lost: [ActorID] = []
}

/// Performs a member's steps from launch to end, with a tracker or only the tracker's core.
///
/// If a step throws, the report contains the results that the step had until its failure.
protocol PassEngine: AnyObject {
  /// The member's entry in the store's registry, for this launch.
  var registration: Registration { get }

  /// Performs a single step of a pass: a fetch, a merge, or the recording of the merged position.
  func step(_ step: PassStep, _ report: inout StepReport) throws(HistoryError) -> TrackerStep
  /// Performs a whole pass: a fetch, a merge, a record and, if the strategy says so, a purge.
  func pass(_ report: inout StepReport) throws(HistoryError)
  /// Purges the transactions that every member has merged.
  func purge(_ report: inout StepReport) throws(HistoryError)
  /// Loads the data again, and records the newest position, from which the member continues.
  func resync() throws(HistoryError) -> HistoryToken
  /// Retires the member: history is no longer kept for it.
  func retire() throws(HistoryError)
  /// Delivers a signal that the store has committed a transaction.
  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError)
  /// Disables the plan's faults in hooks: hooks then neither throw nor replace the default merge.
  func recover()
  /// Ends the engine, and discards its memory.
  func end()

  /// A snapshot of the engine's memory; `nil` if a snapshot could not restore the current memory.
  var snapshot: PassEngineSnapshot? { get }
  /// Adds the engine's memory to `state`.
  func describe(_ state: inout StateSketch)
}

/// A snapshot of the memory of a ``CoreEngine`` or a ``TrackerEngine``.
enum PassEngineSnapshot {
  case core(CoreEngine.Snapshot)
  case tracker(TrackerEngine.Snapshot)

  /// Creates a ``CoreEngine`` or a ``TrackerEngine`` that continues from this snapshot.
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

  /// Records the position up to which the member has merged.
  func record(_ report: inout StepReport) throws(HistoryError) {
    report.cursor = try step(.record, &report).cursor
  }

  /// Performs a step of a process that the actor's next launch has already replaced.
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
