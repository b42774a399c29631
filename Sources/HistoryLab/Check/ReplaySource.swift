import Basics
import Commands
import Foundation
import HistoryTypes
import Programs
import PropertyTesting
import Reporting
import Systems
import Traces
import Workloads

/// The plan to replay, the system that runs it, and the invariant that it broke.
struct ReplaySource {
  var plan: Plan
  let system: LabSystem
  /// The broken invariant that the file names; `nil` for a plan alone.
  let checker: String?

  /// Reads the file, or draws the plan of a seed.
  ///
  /// - Throws: a usage error that says what is wrong with the file, the system or the number.
  init(_ options: ReplayOptions, _ programs: ProgramShelf) throws(LabError) {
    switch options.source {
    case .file(let path):
      let file = try Self.read(path)
      plan = file.plan
      checker = file.checker
      system = try Self.system(options.system, else: file.system ?? "tracker", of: path, programs)
    case .seed(let seed, let number, let planOptions):
      checker = nil
      system = try .find(options.system ?? "tracker", programs)
      let recipe = PlanRecipe(
        generator: PlanGenerator(try planOptions.style(for: system)),
        seed: seed,
        timestamps: system.timestamps
      )
      plan = recipe.plan(number).plan
    }
    let count = plan.commands.count
    guard let until = options.until, until > count else { return }
    throw .usage(
      "--until \(until): the plan has \(count.counted("command")). "
        + (count == 0 ? "Leave it out." : "Give a number from 1 to \(count).")
    )
  }

  /// Returns the system that was named, else the one that the file names; a file starts no program.
  private static func system(
    _ named: String?,
    else name: String,
    of path: String,
    _ programs: ProgramShelf
  ) throws(LabError) -> LabSystem {
    if let named { return try .find(named, programs) }
    guard ExternalProgram.command(in: name) == nil else {
      throw .usage(
        "the file was made with \(name.quoted), and no program is started because a file says so.",
        try: "replay \(path.shellQuoted) --system \(name.shellQuoted)"
      )
    }
    if FilePath.isDesign(name) { return try .find(name, programs) }
    guard let system = LabSystem.named(name) else {
      throw .usage("the file names the system \(name.quoted), which this build does not have.")
    }
    return system
  }

  private static func read(_ path: String) throws(LabError) -> LabFile {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read.")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw .usage(
        "\(path.quoted) is not text in UTF-8: it is neither a plan nor a counterexample."
      )
    }
    do throws(FormatError) { return try LabFile(text) } catch {
      throw .usage("\(path): \(error.description)")
    }
  }
}

extension LabFile {
  /// The system that the file's plan ran on; `nil` for a plan that did not run.
  fileprivate var system: String? {
    switch self {
    case .plan: nil
    case .trace(let trace): trace.header.system
    case .counterexample(let counterexample): counterexample.trace.header.system
    }
  }

  /// The broken invariant that the file names; `nil` if it names none.
  fileprivate var checker: String? {
    if case .counterexample(let counterexample) = self {
      counterexample.violation.checker
    } else {
      nil
    }
  }
}

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
  func run(showing: Showing, _ worker: PlanWorker) throws(SystemFailure) {
    let answers = try worker.answers(trace.header.plan, until: until)
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
