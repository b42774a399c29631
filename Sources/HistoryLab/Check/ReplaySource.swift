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

/// The plan to replay, the system to run it on, and the invariant that the plan broke.
struct ReplaySource {
  var plan: Plan
  let system: LabSystem
  /// The broken invariant that a counterexample file names; `nil` for a plan from any other source.
  let checker: String?

  /// Reads the plan from the file, or generates the plan of a seed.
  ///
  /// - Throws: a usage error that states the problem with the file, the system or the number.
  init(_ options: ReplayOptions, _ programs: SharedProgramState) throws(LabError) {
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
        + (count == 0 ? "Leave out --until." : "Give a number from 1 to \(count).")
    )
  }

  /// Returns the system that `--system` names; without `--system`, the system that the file names.
  ///
  /// An external program runs only if `--system` names it. If only the file names a program, a
  /// usage error is thrown.
  private static func system(
    _ named: String?,
    else name: String,
    of path: String,
    _ programs: SharedProgramState
  ) throws(LabError) -> LabSystem {
    if let named { return try .find(named, programs) }
    guard ExternalProgram.command(in: name) == nil else {
      throw .usage(
        "the file names the program \(name.quoted), and no program is started unless --system names it.",
        try: "replay \(path.shellQuoted) --system \(name.shellQuoted)"
      )
    }
    if FilePath.isDesign(name) { return try .find(name, programs) }
    guard let system = LabSystem.named(name) else {
      throw .usage(
        "the file names the system \(name.quoted), which this build does not have. Use a build that "
          + "has the system, or pass another system with --system."
      )
    }
    return system
  }

  private static func read(_ path: String) throws(LabError) -> LabFile {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read. Check its permissions.")
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
  /// The system on which the file's plan ran; `nil` for a plan file, which names no system.
  fileprivate var system: String? {
    switch self {
    case .plan: nil
    case .trace(let trace): trace.header.system
    case .counterexample(let counterexample): counterexample.trace.header.system
    }
  }

  /// The broken invariant that a counterexample file names; `nil` for a plan file or a trace file.
  fileprivate var checker: String? {
    if case .counterexample(let counterexample) = self {
      counterexample.violation.checker
    } else {
      nil
    }
  }
}

/// Replays a plan step by step, and prints each command's effect and the state of all actors.
struct ReplayWalk {
  /// The steps after which the state is printed.
  enum Showing {
    /// Every step; on a terminal, the replay waits for a key press after each step except the last.
    case everyStep
    /// Only the last step; the earlier steps are printed too, but without the state after them.
    case lastStep
  }
  private let trace: Trace
  private let walk: TraceWalk
  private let violation: Violation?
  private let until: Int?
  private let terminal: Terminal

  /// Creates a replay of a trace, step by step; `violation` is `nil` if it breaks no invariant.
  ///
  /// ``run(showing:_:)`` runs the trace's plan again to read the contents of contexts and store.
  /// `until` is the number of the command after which the replay stops; `nil` for no limit.
  init(_ trace: Trace, _ violation: Violation?, until: Int?, on terminal: Terminal) {
    self.trace = trace
    self.violation = violation
    self.until = until
    self.terminal = terminal
    walk = TraceWalk(trace, violation: violation)
  }

  private var commandCount: Int { trace.header.plan.commands.count }

  /// Runs the plan again, and prints each step with the state after it.
  ///
  /// The contexts of all running actors and the store are read after each step.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start or cannot answer.
  func run(showing: Showing, _ worker: PlanWorker) throws(SystemFailure) {
    let answers = try worker.answers(trace.header.plan, until: until)
    let last = walk.steps.indices.last
    for (index, step) in walk.steps.enumerated() {
      show(step)
      guard showing == .everyStep || index == last else { continue }
      // A step may end with an event in the middle of a command. In this case, the state is printed as
      // read at the end of that command.
      let look = answers.keys.filter { $0 >= step.lastAt }.min()
      let table = walk.state(after: step.lastAt, answers: look.flatMap { answers[$0] } ?? [])
      terminal.print(table, indent: 4)
      terminal.print("")
      if showing == .everyStep, index != last, !goesOn(after: step) { return }
    }
    conclude()
  }

  private func show(_ step: TraceWalk.Step) {
    let number = step.number.map { "\($0)/\(commandCount)" } ?? "-"
    let who = step.actor.map { $0.name + ": " } ?? ""
    let line = "\(step.isBroken ? ">" : " ") \(number)  \(who)\(step.text)"
    terminal.print(terminal.styled(line.printable, step.isBroken ? .red : .bold))
  }

  /// Waits for a key if a terminal is attached; returns `false` if the key asks to stop.
  private func goesOn(after step: TraceWalk.Step) -> Bool {
    guard let key = terminal.key else { return !Interruption.isRequested }
    terminal.setStatus("any key: the next step, q: stop ")
    defer { terminal.setStatus(nil) }
    return key().map { !Self.stopKeys.contains($0) } ?? false
  }

  /// The codes of the keys that stop the step-by-step replay: q, Q, escape, ctrl-C and ctrl-D.
  private static let stopKeys: Set<UInt8> = [0x71, 0x51, 0x1b, 0x03, 0x04]

  private func conclude() {
    if let until {
      terminal.print("Stopped after command \(until) of \(commandCount).")
    } else {
      terminal.print("The plan and the closing passes and reads have ended.")
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
