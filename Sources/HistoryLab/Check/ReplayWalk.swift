import PersistentHistory
import Reporting
import Traces

/// Steps through a plan and shows what each command did and the state of all actors after it.
struct ReplayWalk {
  /// The steps that are shown with the state after them.
  enum Showing {
    /// Every step; on a terminal, each but the last waits for a key.
    case everyStep
    /// Only the last step; each step before it is printed as one line.
    case lastStep
  }
  private let trace: Trace
  private let walk: TraceWalk
  private let violation: Violation?
  private let until: Int?
  private let terminal: Terminal

  /// Takes a trace of the plan that `run` will repeat, and the violation in it.
  init(_ trace: Trace, _ violation: Violation?, until: Int?, on terminal: Terminal) {
    self.trace = trace
    self.violation = violation
    self.until = until
    self.terminal = terminal
    walk = TraceWalk(trace, violation: violation)
  }

  private var commandCount: Int { trace.header.plan.commands.count }

  /// Runs the plan again, and prints the steps with the states after them.
  ///
  /// The contexts of all running actors and the store are read after each step.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start or cannot answer.
  func run(showing: Showing, _ lane: PlanLane) throws(SystemFailure) {
    let answers = try lane.answers(trace.header.plan, until: until)
    let last = walk.steps.indices.last
    for (index, step) in walk.steps.enumerated() {
      tell(step)
      guard showing == .everyStep || index == last else { continue }
      // An event between commands can fall into the middle of one; the state is then read after
      // that command.
      let look = answers.keys.filter { $0 >= step.lastAt }.min()
      let table = walk.state(after: step.lastAt, answers: look.flatMap { answers[$0] } ?? [])
      terminal.print(table, indent: 4)
      terminal.print("")
      if showing == .everyStep, index != last, !goesOn(after: step) { return }
    }
    conclude()
  }

  private func tell(_ step: TraceWalk.Step) {
    let number = step.number.map { "\($0)/\(commandCount)" } ?? "-"
    let who = step.actor.map { $0.name + ": " } ?? ""
    let line = "\(step.isBroken ? ">" : " ") \(number)  \(who)\(step.text)"
    terminal.print(terminal.styled(line.printable, step.isBroken ? .red : .bold))
  }

  /// Waits for a key, if a terminal is attached, and returns whether to continue.
  private func goesOn(after step: TraceWalk.Step) -> Bool {
    guard let key = terminal.key else { return !Interruption.isRequested }
    terminal.setStatus("any key: the next step, q: stop ")
    defer { terminal.setStatus(nil) }
    return key().map { !Self.stopKeys.contains($0) } ?? false
  }

  /// The codes of q, Q and escape, and those that ctrl-C and ctrl-D send.
  private static let stopKeys: Set<UInt8> = [0x71, 0x51, 0x1b, 0x03, 0x04]

  private func conclude() {
    if let until {
      terminal.print("Stopped after command \(until) of \(commandCount).")
    } else {
      terminal.print("The plan is over; everyone has caught up.")
    }
    if let violation {
      terminal.print(
        terminal.styled(
          "\(violation.checker): broken. \(violation.because.fullStopped.printable)",
          .red
        )
      )
    } else {
      terminal.print("No invariant is broken\(until == nil ? "" : " so far").")
    }
  }
}
