/// The command: runs a command line, prints its errors and returns the exit code.
struct Lab {
  var tool = ToolSpec.historyLab
  let composition: Composition
  let terminal: Terminal

  /// Runs a command line, given without the tool's own path.
  ///
  /// Every error is printed as one sentence on standard error.
  func run(_ arguments: [String]) async -> ExitCode {
    do throws(LabError) {
      let code = try await perform(Invocation.read(arguments, tool: tool))
      guard let failure = terminal.outputFailure else { return code }
      throw LabError.lab("standard output cannot be written: \(failure).")
    } catch { return fail(error) }
  }

  /// Runs a command line whose words are given as raw bytes, as the operating system passes them.
  func run(bytes words: [[UInt8]]) async -> ExitCode {
    var arguments: [String] = []
    for (index, word) in words.enumerated() {
      guard let text = String(validating: word, as: UTF8.self) else {
        let shown = String(decoding: word, as: UTF8.self).quoted
        return fail(
          .usage(
            "argument \(index + 1), \(shown), is not text in UTF-8. Rename the file, or name a link to it."
          )
        )
      }
      arguments.append(text)
    }
    return await run(arguments)
  }

  private func fail(_ error: LabError) -> ExitCode {
    terminal.setStatus(nil)
    terminal.log("\(tool.name): \(error.sentence(typing: terminal.command))")
    return error.exitCode
  }

  private func perform(_ invocation: Invocation) async throws(LabError) -> ExitCode {
    let help = HelpText(tool: tool, command: terminal.command, width: terminal.traits.width)
    switch invocation {
    case .nothing:
      terminal.log(help.overview())
      return .usage
    case .help(let verb):
      terminal.print(verb.map(help.text) ?? help.overview())
      return .good
    case .version:
      terminal.print("\(tool.name) \(ToolSpec.version)")
      return .good
    case .run(let spec, let arguments):
      return try await verb(spec, arguments).run()
    }
  }

  /// Creates the verb with its options; every argument is checked.
  private func verb(
    _ spec: VerbSpec,
    _ arguments: ParsedArguments
  ) throws(LabError) -> any Verb {
    do {
      return try Verbs.make(spec.name, arguments, composition, terminal)
    } catch { throw error.hinting(tool.hint(for: spec)) }
  }
}

/// A verb with everything that it needs to run.
protocol Verb: Sendable {
  /// Runs the verb and returns the exit code.
  ///
  /// - Throws: A usage error if an argument turns out to be wrong; a lab error if the lab itself
  ///   failed.
  func run() async throws(LabError) -> ExitCode
}

/// A factory of verbs.
enum Verbs {
  /// Returns the verb with a name, after checking its arguments.
  ///
  /// - Throws: A usage error if an argument is wrong; a lab error if the verb is not implemented.
  static func make(
    _ name: String,
    _ arguments: ParsedArguments,
    _ composition: Composition,
    _ terminal: Terminal
  ) throws(LabError) -> any Verb {
    switch name {
    case "check":
      let options = try CheckOptions(arguments, in: composition)
      return CheckVerb(options: options, composition: composition, terminal: terminal)
    case "replay":
      let options = try ReplayOptions(arguments, in: composition)
      return ReplayVerb(options: options, composition: composition, terminal: terminal)
    case "explore":
      let options = try ExploreOptions(arguments, in: composition)
      return ExploreVerb(options: options, composition: composition, terminal: terminal)
    case "mutants":
      let options = try MutantsOptions(arguments, in: composition)
      if options.isGenerated {
        return GeneratedVerb(options: options, composition: composition, terminal: terminal)
      }
      return MutantsVerb(options: options, composition: composition, terminal: terminal)
    case "stress":
      let options = try StressOptions(arguments, in: composition)
      return StressVerb(options: options, composition: composition, terminal: terminal)
    case "bench run":
      let options = try BenchRunOptions(arguments, in: composition)
      return BenchRunVerb(options: options, composition: composition, terminal: terminal)
    case "bench baseline save", "bench baseline list", "bench baseline compare",
      "bench baseline check", "bench baseline accept":
      let word = name.split(separator: " ").last.map(String.init) ?? name
      guard let action = BenchBaselineVerb.Action(rawValue: word) else { break }
      let options = try BenchBaselineOptions(arguments)
      return BenchBaselineVerb(
        action: action,
        options: options,
        composition: composition,
        terminal: terminal
      )
    case "bench compare":
      let options = try BenchCompareOptions(arguments, in: composition)
      return BenchCompareVerb(options: options, composition: composition, terminal: terminal)
    case "bench selftest":
      let options = BenchSelftestOptions(arguments, in: composition)
      return BenchSelftestVerb(options: options, terminal: terminal)
    case "bench list":
      let options = BenchListOptions(arguments)
      return BenchListVerb(options: options, composition: composition, terminal: terminal)
    case "serve":
      let options = try ServeOptions(arguments, in: composition)
      return ServeVerb(options: options, terminal: terminal)
    case "protocol check":
      return ProtocolCheckVerb(options: try ProtocolCheckOptions(arguments), terminal: terminal)
    case "report":
      let options = try ReportOptions(arguments)
      return ReportVerb(options: options, composition: composition, terminal: terminal)
    case "report trend":
      return ReportTrendVerb(options: try ReportTrendOptions(arguments), terminal: terminal)
    case "report nights":
      return ReportNightsVerb(options: try ReportNightsOptions(arguments), terminal: terminal)
    case "report export":
      return ReportExportVerb(options: try ReportExportOptions(arguments), terminal: terminal)
    case "report merge":
      let options = try ReportMergeOptions(arguments)
      return ReportMergeVerb(options: options, composition: composition, terminal: terminal)
    case "history add":
      return HistoryAddVerb(options: try HistoryAddOptions(arguments), terminal: terminal)
    case "history list":
      return HistoryListVerb(options: try HistoryListOptions(arguments), terminal: terminal)
    case "inspect": return InspectVerb(options: try InspectOptions(arguments), terminal: terminal)
    case "convert": return ConvertVerb(options: try ConvertOptions(arguments), terminal: terminal)
    case "list":
      let options = ListOptions(arguments)
      return ListVerb(options: options, composition: composition, terminal: terminal)
    default: break
    }
    throw .lab("the verb \(name.quoted) is described but not built.")
  }
}

/// The exit codes of the command.
enum ExitCode: Int32, CaseIterable, Sendable {
  case good = 0
  case violation = 1
  case undecided = 2
  case usage = 64
  case lab = 70

  /// The meaning of the code, as the help texts print it.
  var sentence: String {
    switch self {
    case .good: "good"
    case .violation: "a violation or regression was found"
    case .undecided: "it could not be decided"
    case .usage: "an argument names something wrong, files included"
    case .lab: "the lab itself failed"
    }
  }
}
