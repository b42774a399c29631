import Checkers
import PersistentHistory
import Reporting
import Simulation
import Systems
import Traces

/// Replays one plan, from a file or from the seed of a check.
struct ReplayVerb: Verb {
  let options: ReplayOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let programs = ProgramShelf(seconds: options.timeout)
    let source = try ReplaySource(options, programs)
    let place = try options.place()
    let lane = PlanLane(source.system, at: place, versions: ["lab": ToolSpec.version])
    defer { place.removeStore() }
    do throws(SystemFailure) {
      let code = try run(source, lane)
      if source.system.isExternal, let errors = programs.text { terminal.log(errors) }
      return code
    } catch {
      if let trouble = lane.trouble { throw Self.undecided(trouble) }
      throw .lab("the plan could not be run on \(source.system.name): \(error.message)")
    }
  }

  private func run(_ source: ReplaySource, _ lane: PlanLane) throws(SystemFailure) -> ExitCode {
    let trace = try lane.trace(source.plan, until: options.until)
    if let trouble = lane.trouble { throw SystemFailure(.crashed, trouble.description) }
    let suite = CheckerSuite(checking: trace, scope: .all)
    let violation = violation(in: suite, source)
    if options.json {
      var trace = trace
      if let until = options.until {
        trace.header.plan.commands = Array(trace.header.plan.commands.prefix(until))
      }
      terminal.print(TraceCodec.encode(trace).trimmedNewline)
    } else if options.steps || options.until != nil {
      let walk = ReplayWalk(trace, violation, until: options.until, on: terminal)
      try walk.run(showing: options.steps ? .everyStep : .lastStep, lane)
    } else {
      show(trace, violation, suite)
    }
    return code(suite)
  }

  private static func undecided(_ trouble: SystemTrouble) -> LabError {
    .undecided("the system did not take part in the plan to its end: \(trouble)")
  }

  /// Returns the violation to show: of the invariant that the file names, else the first one.
  private func violation(in suite: CheckerSuite, _ source: ReplaySource) -> Violation? {
    source.checker.flatMap { suite.violation(of: $0) } ?? suite.violation
  }

  private func show(_ trace: Trace, _ violation: Violation?, _ suite: CheckerSuite) {
    if let violation {
      let text = CounterexampleText(
        width: min(terminal.traits.width, 120),
        colour: terminal.traits.usesColour
      )
      let counterexample = Counterexample(trace: trace, violation: violation)
      for line in text.render(counterexample, replay: options.line(typing: terminal.command)).split(
        separator: "\n",
        omittingEmptySubsequences: false
      ) {
        terminal.print(String(line))
      }
    } else {
      let count = trace.header.plan.commands.count
      terminal.print(
        "\(trace.header.system): \(count.counted("command")); every invariant that they exercise holds."
      )
    }
    for (checker, verdict) in suite.verdicts {
      switch verdict {
      case .valid: terminal.print("\(checker): held")
      case .invalid(let violation):
        terminal.print(terminal.styled("\(checker): broken. \(violation.because.printable)", .red))
      case .unknown(let because): terminal.print("\(checker): undecided. \(because.printable)")
      }
    }
  }

  /// Returns the exit code; a run that `--until` stopped without a violation is good.
  private func code(_ suite: CheckerSuite) -> ExitCode {
    if suite.violation != nil { return .violation }
    if options.until != nil { return .good }
    let isDecided = suite.verdicts.contains { answer in
      if case .valid = answer.verdict { true } else { false }
    }
    return isDecided ? .good : .undecided
  }
}

extension ReplayOptions {
  /// Creates the place for the store of the plan: on the heap, or in the folder of `--on-disk`.
  func place() throws(LabError) -> StorePlace {
    guard let onDisk else { return .heap() }
    do throws(StorePlaceError) { return try .folder(onDisk) } catch {
      throw .usage("--on-disk: \(error.description)")
    }
  }
}

extension String {
  /// The text without a newline at its end.
  fileprivate var trimmedNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
