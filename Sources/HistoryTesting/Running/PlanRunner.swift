internal import Foundation
internal import Simulation
internal import Systems
internal import Traces

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
  var trouble: SystemTrouble? { system.trouble }

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
    return found ?? (trouble == nil ? verdicts.violation(of: checker) : nil)
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
    try simulator.run(plan) { observe($0) && trouble == nil }
  }
}

/// A system that counts the jobs that came from other threads.
protocol JobCounting {
  var foreignJobCount: Int { get }
}

extension SystemAdapter: JobCounting {}
