import Checkers
import Foundation
import PropertyTesting
import Reporting
import Simulation
import Systems
import Traces
import Workloads

/// Runs one plan again, from a file or from the seed of a check.
struct ReplayVerb: Verb {
  let options: ReplayOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    var (plan, name) = try source()
    if let system = options.system { name = system }
    guard let system = LabSystem.named(name) else {
      throw .usage("the file names the system \(name.quoted), which this build does not have.")
    }
    if let until = options.until { plan.commands = Array(plan.commands.prefix(until)) }
    let (trace, suite) = try run(plan, on: system)
    if options.json {
      terminal.print(TraceCodec.encode(trace).trimmedNewline)
    } else {
      show(trace, suite)
    }
    return code(suite)
  }

  /// The plan, and the system that it is for unless someone says otherwise.
  private func source() throws(LabError) -> (Plan, String) {
    switch options.source {
    case .file(let path):
      let text = try Self.read(path)
      do throws(FormatError) {
        let file = try LabFile(text)
        return (file.plan, file.system ?? "tracker")
      } catch {
        throw .usage("\(path): \(error.description)")
      }
    case .seed(let seed, let number, let planOptions):
      let name = options.system ?? "tracker"
      guard let system = LabSystem.named(name) else {
        throw .usage("there is no system \(name.quoted). Try: history-lab list systems")
      }
      let recipe = PlanRecipe(
        generator: PlanGenerator(try planOptions.style(for: system)),
        seed: seed,
        timestamps: system.timestamps
      )
      return (recipe.plan(number).plan, name)
    }
  }

  private static func read(_ path: String) throws(LabError) -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read.")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .usage("\(path.quoted) is not text in UTF-8: it is no plan and no counterexample.")
    }
    return text
  }

  private func run(
    _ plan: Plan,
    on system: LabSystem
  ) throws(LabError) -> (Trace, CheckerSuite) {
    let place = try options.place()
    let lane = PlanLane(system, at: place, versions: ["lab": ToolSpec.version])
    defer { place.removeStore() }
    do throws(SystemFailure) {
      let trace = try lane.trace(plan)
      return (trace, CheckerSuite(checking: trace, scope: .all))
    } catch {
      throw .lab("the plan could not be run on \(system.name): \(error.message)")
    }
  }

  private func show(_ trace: Trace, _ suite: CheckerSuite) {
    if let violation = suite.violation {
      let text = CounterexampleText(
        width: min(terminal.traits.width, 120),
        colour: terminal.traits.usesColour
      )
      let counterexample = Counterexample(trace: trace, violation: violation)
      for line in text.render(counterexample, replay: options.command).split(
        separator: "\n",
        omittingEmptySubsequences: false
      ) {
        terminal.print(String(line))
      }
    }
    for (checker, verdict) in suite.verdicts {
      switch verdict {
      case .valid: terminal.print("\(checker): held")
      case .invalid(let violation):
        terminal.print(terminal.styled("\(checker): broken. \(violation.because)", .red))
      case .unknown(let because): terminal.print("\(checker): undecided. \(because)")
      }
    }
  }

  private func code(_ suite: CheckerSuite) -> ExitCode {
    if suite.violation != nil { return .violation }
    let isDecided = suite.verdicts.contains { answer in
      if case .valid = answer.verdict { true } else { false }
    }
    return isDecided ? .good : .undecided
  }
}

extension ReplayOptions {
  /// Where the store of the plan lies.
  func place() throws(LabError) -> StorePlace {
    guard let onDisk else { return .heap() }
    do throws(StorePlaceError) { return try .folder(onDisk) } catch {
      throw .usage("--on-disk: \(error.description)")
    }
  }
}

extension LabFile {
  /// The system that the file's plan ran on, if it did.
  fileprivate var system: String? {
    switch self {
    case .plan: nil
    case .trace(let trace): trace.header.system
    case .counterexample(let counterexample): counterexample.trace.header.system
    }
  }
}

extension String {
  /// The text without a newline at its end.
  fileprivate var trimmedNewline: String { hasSuffix("\n") ? String(dropLast()) : self }

  /// The text of some bytes, or nothing when they are not UTF-8.
  fileprivate init?(validating data: Data, as encoding: UTF8.Type) {
    self.init(data: data, encoding: .utf8)
  }
}
