import HistoryTypes
import Systems
import Traces

/// A system that records its calls and returns what a test has set.
final class ScriptedSystem: SystemUnderTest {
  var capabilities: Set<Capability> = [.steps, .history, .resync]
  /// The calls, with the time of each.
  private(set) var asked: [(action: Action, now: Double)] = []
  private(set) var resets = 0
  /// The response to a call.
  var answer: (Action, inout EventLog) throws(SystemFailure) -> Void = { _, _ in }
  private var clock: PlanClock?

  var words: [String] { asked.map { "\($0.action.word) \($0.action.actor?.name ?? "")" } }

  func reset(_ header: PlanHeader, _ environment: SystemEnvironment) throws(SystemFailure) {
    resets += 1
    asked = []
    clock = environment.clock
  }

  func close() {}

  func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    asked.append((action, clock?.now ?? 0))
    try answer(action, &log)
  }

  func snapshot() throws(SystemFailure) -> SystemSnapshot {
    throw SystemFailure(.unsupported, "It has nothing to keep.")
  }

  func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {}

  func describe(_ state: inout StateSketch) throws(SystemFailure) {}
}
