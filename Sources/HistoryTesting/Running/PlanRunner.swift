internal import Checkers
internal import Foundation
internal import HistorySystems
internal import Simulation
internal import Systems
internal import Traces
internal import Workloads

/// A runner of plans on one system; only one thread at a time may use it.
final class PlanRunner {
  private let subject: Subject
  private let checkers: [any HistoryChecker.Type]
  private let system: any SystemUnderTest
  private let simulator: Simulator
  /// The folder for the system's files, which is created only if the system uses files.
  private let folder: String

  init(_ subject: Subject, _ checkers: [any HistoryChecker.Type]) {
    self.subject = subject
    self.checkers = checkers
    system = subject.make()
    folder = NSTemporaryDirectory() + "history-testing-\(UUID().uuidString)"
    simulator = Simulator(system, at: .unused(folder: folder))
  }

  /// The reason why the system did not complete the last plan; `nil` if it did.
  var runFailure: RunFailure? { system.runFailure }

  /// The number of jobs that other threads enqueued on the executors of the plans.
  ///
  /// The jobs of the last plan are included only after ``close()``.
  var foreignJobCount: Int { (system as? any JobCounting)?.foreignJobCount ?? 0 }

  /// Runs a plan to its end.
  func run(_ plan: Plan) throws(SystemFailure) -> (verdicts: RunVerdicts, trace: Trace) {
    var verdicts = RunVerdicts(plan, system: subject.name, checkers)
    let events = try events(of: plan) { event in
      verdicts.observe(event)
      return true
    }
    let header = TraceHeader(plan: plan, system: subject.name)
    return (verdicts, Trace(header: header, events: events))
  }

  /// Runs a plan until the plan ends or breaks the checker's invariant; returns the violation, or `nil`.
  func violation(of checker: String, by plan: Plan) throws(SystemFailure) -> Violation? {
    var verdicts = RunVerdicts(plan, system: subject.name, checkers)
    var found: Violation?
    _ = try events(of: plan) { event in
      verdicts.observe(event)
      found = verdicts.earlyViolation(of: checker)
      return found == nil
    }
    return found ?? (runFailure == nil ? verdicts.violation(of: checker) : nil)
  }

  /// Closes the system of the last plan, and removes the folder.
  func close() {
    simulator.close()
    rmdir(folder)
  }

  private func events(
    of plan: Plan,
    _ observe: (Event) -> Bool
  ) throws(SystemFailure) -> [Event] {
    try simulator.run(plan) { observe($0) && runFailure == nil }
  }
}

extension Subject {
  /// Returns the given conditions; throws if the system does not support one of them.
  func checked(
    _ conditions: [HistoryCondition]
  ) throws(HistorySettingsError) -> [HistoryCondition] {
    for condition in conditions {
      guard let lack = lack(for: condition) else { continue }
      throw HistorySettingsError(
        "\(name) cannot be tested under \(condition.name): it does not conform to \(lack). "
          + "Add the conformance, or leave the condition out."
      )
    }
    return conditions
  }
}

/// All checkers for one run: first the built-in checkers, then the custom ones.
struct RunVerdicts {
  private var suite: CheckerSuite
  private var own: [OwnCheck]

  init(_ plan: Plan, system: String, _ checkers: [any HistoryChecker.Type]) {
    suite = CheckerSuite(TraceHeader(plan: plan, system: system), scope: .all)
    own = checkers.map { OwnCheck($0, HistoryPlan(plan)) }
  }

  /// Returns the names of all checkers, in the order of the verdicts.
  static func names(_ checkers: [any HistoryChecker.Type]) -> [String] {
    CheckerSuite.names(in: .all) + checkers.map { $0.name }
  }

  mutating func observe(_ event: Event) {
    suite.observe(event)
    guard !own.isEmpty else { return }
    let seen = HistoryEvent(event)
    for index in own.indices { own[index].observe(seen) }
  }

  /// The verdicts, in the order of ``names(_:)``; valid only after the last event.
  var answers: [(checker: String, verdict: Verdict)] {
    suite.verdicts + own.map { ($0.name, $0.verdict) }
  }

  /// Returns the violation that one checker has found; `nil` for none.
  func violation(of checker: String) -> Violation? {
    for answer in answers where answer.checker == checker {
      if case .invalid(let violation) = answer.verdict { return violation }
    }
    return nil
  }

  /// Returns the violation that one checker has found so far, in the middle of a run; `nil` for
  /// none.
  func earlyViolation(of checker: String) -> Violation? {
    suite.isInvalid || own.contains { $0.isBroken } ? violation(of: checker) : nil
  }
}
