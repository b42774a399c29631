import PersistentHistory
import Reporting
import Traces

/// Walks through a plan: what each command did, and where everyone stood after it.
struct ReplayWalk {
  /// Which steps are shown with the state after them.
  enum Showing {
    /// Each; on a terminal a key is waited for after each.
    case everyStep
    /// The last; those before it are told in a line each.
    case lastStep
  }
  private let trace: Trace
  private let walk: TraceWalk
  private let violation: Violation?
  private let until: Int?
  private let terminal: Terminal

  /// Takes a trace that was made by the same plan as will be run, and what broke in it.
  init(_ trace: Trace, _ violation: Violation?, until: Int?, on terminal: Terminal) {
    self.trace = trace
    self.violation = violation
    self.until = until
    self.terminal = terminal
    walk = TraceWalk(trace, violation: violation)
  }

  private var commandCount: Int { trace.header.plan.commands.count }

  /// Runs the plan once more, looks at everyone after each step, and prints what it sees.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start or cannot answer.
  func run(showing: Showing, _ lane: PlanLane) throws(SystemFailure) {
    let answers = try lane.answers(trace.header.plan, until: until)
    let last = walk.steps.indices.last
    for (index, step) in walk.steps.enumerated() {
      tell(step)
      guard showing == .everyStep || index == last else { continue }
      // What came by itself in the middle of a command is followed by the look after that command.
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

  /// Waits for a key where there is somebody to press one.
  private func goesOn(after step: TraceWalk.Step) -> Bool {
    guard let key = terminal.key else { return !Interruption.isRequested }
    terminal.setStatus("any key: the next step, q: stop ")
    defer { terminal.setStatus(nil) }
    return key().map { !Self.stopKeys.contains($0) } ?? false
  }

  /// q, Q, escape, and what ctrl-C and ctrl-D send.
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
