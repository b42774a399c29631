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
  /// The folder of the systems' files, which is created by those that have any.
  private let folder: String

  init(_ subject: Subject, _ checkers: [any HistoryChecker.Type]) {
    self.subject = subject
    self.checkers = checkers
    system = subject.make()
    folder = NSTemporaryDirectory() + "history-testing-\(UUID().uuidString)"
    simulator = Simulator(system, at: .unused(folder: folder))
  }

  /// The reason why the system did not take part in the last plan to its end, or `nil`.
  var runFailure: RunFailure? { system.runFailure }

  /// The number of jobs that came from other threads.
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

  /// Runs a plan until a checker rejects it, and returns the violation or `nil`.
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
  /// Returns conditions, unless the system does not support one of them.
  func checked(
    _ conditions: [HistoryCondition]
  ) throws(HistorySettingsError) -> [HistoryCondition] {
    for condition in conditions {
      guard let lack = lack(for: condition) else { continue }
      throw HistorySettingsError(
        "\(name) cannot be tested under \(condition.name): it does not conform to \(lack). "
          + "Conform to it, or leave the condition out."
      )
    }
    return conditions
  }
}

/// All checkers over one run: the built-in ones, then those of the user.
struct RunVerdicts {
  private var suite: CheckerSuite
  private var own: [OwnCheck]

  init(_ plan: Plan, system: String, _ checkers: [any HistoryChecker.Type]) {
    suite = CheckerSuite(TraceHeader(plan: plan, system: system), scope: .all)
    own = checkers.map { OwnCheck($0, HistoryPlan(plan)) }
  }

  /// Returns the names of all checkers, in the order of their verdicts.
  static func names(_ checkers: [any HistoryChecker.Type]) -> [String] {
    CheckerSuite.names(in: .all) + checkers.map { $0.name }
  }

  mutating func observe(_ event: Event) {
    suite.observe(event)
    guard !own.isEmpty else { return }
    let seen = HistoryEvent(event)
    for index in own.indices { own[index].observe(seen) }
  }

  /// The verdicts, in the order of ``names(_:)``; read them after the last event.
  var answers: [(checker: String, verdict: Verdict)] {
    suite.verdicts + own.map { ($0.name, $0.verdict) }
  }

  /// Returns the violation of one checker, or `nil`.
  func violation(of checker: String) -> Violation? {
    for answer in answers where answer.checker == checker {
      if case .invalid(let violation) = answer.verdict { return violation }
    }
    return nil
  }

  /// Returns the violation of one checker as soon as an event has broken its invariant.
  func earlyViolation(of checker: String) -> Violation? {
    suite.isInvalid || own.contains { $0.isBroken } ? violation(of: checker) : nil
  }
}
