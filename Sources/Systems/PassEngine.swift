import HistoryStore
import HistoryTracking
import PersistentHistory
import Traces

/// What one step of a member has done, up to where it failed if it did.
struct StepReport {
  /// What it will merge, if it fetched.
  var fetched: [Int64]?
  /// What a merge hook finished.
  var finished: [Int64] = []
  /// What observers were told.
  var observed: [Int64] = []
  /// What it merged, if it merged.
  var merged: [Int64]?
  /// The position that is recorded, if it recorded.
  var cursor: HistoryToken?
  /// The members that its purge has cut off.
  var lost: [ActorID] = []
}

/// What carries out the steps of one launch of a member.
///
/// A report tells what was done also when a step throws.
protocol PassEngine: AnyObject {
  /// The launch that the registry knows.
  var registration: Registration { get }

  /// Makes one step of a pass alone.
  func step(_ step: PassStep, _ report: inout StepReport) throws(HistoryError) -> TrackerStep
  /// Makes a whole pass.
  func pass(_ report: inout StepReport) throws(HistoryError)
  /// Purges what every member has merged.
  func purge(_ report: inout StepReport) throws(HistoryError)
  /// Reads the data anew, and goes on from the head.
  func resync() throws(HistoryError) -> HistoryToken
  /// Ends the membership.
  func retire() throws(HistoryError)
  /// Lets a signal of the store arrive.
  func signal(_ newest: HistoryToken, _ report: inout StepReport) throws(HistoryError)
  /// Lets no hook throw any more.
  func heal()
  /// Loses what it has in memory.
  func end()

  /// What it has in memory, if that can be put back.
  var memory: PassEngineMemory? { get }
  /// Adds what it has in memory.
  func describe(_ state: inout StateSketch)
}

/// What the engine of a launch has in memory, as it was or as it is to be put back.
enum PassEngineMemory {
  case core(CoreEngine.Memory)
  case tracker(TrackerEngine.Memory)

  /// Puts the engine back.
  func engine(
    _ setup: TrackerSetup,
    _ process: PlanProcess
  ) throws(HistoryError) -> any PassEngine {
    switch self {
    case .core(let memory): try CoreEngine(memory, setup, process)
    case .tracker(let memory): try TrackerEngine(memory, setup, process)
    }
  }
}

extension PassEngine {
  /// Reads what is new.
  func fetch(_ report: inout StepReport) throws(HistoryError) {
    report.fetched = try step(.fetch, &report).fetched
  }

  /// Calls the hooks with what was fetched, and merges it.
  func merge(_ report: inout StepReport) throws(HistoryError) {
    report.merged = try step(.merge, &report).merged
  }

  /// Records how far it has merged.
  func record(_ report: inout StepReport) throws(HistoryError) {
    report.cursor = try step(.record, &report).cursor
  }

  /// Does one step that a process still does which was replaced.
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
