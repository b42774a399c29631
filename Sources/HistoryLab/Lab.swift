/// The command from its arguments to its exit code.
struct Lab {
  var tool = ToolSpec.historyLab
  let composition: Composition
  let terminal: Terminal

  /// Does what a command line asks, without the tool's own path.
  ///
  /// Whatever goes wrong is told in one sentence on standard error.
  func run(_ arguments: [String]) async -> ExitCode {
    do throws(LabError) {
      let code = try await perform(Invocation.read(arguments, tool: tool))
      guard let failure = terminal.outputFailure else { return code }
      throw LabError.lab("standard output cannot be written: \(failure).")
    } catch {
      terminal.setStatus(nil)
      terminal.log("\(tool.name): \(error.sentence)")
      return error.exitCode
    }
  }

  private func perform(_ invocation: Invocation) async throws(LabError) -> ExitCode {
    let help = HelpText(tool: tool, width: terminal.traits.width)
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

  /// The verb with its options, every argument checked.
  private func verb(
    _ spec: VerbSpec,
    _ arguments: ParsedArguments
  ) throws(LabError) -> any Verb {
    do {
      return try Verbs.make(spec.name, arguments, composition, terminal)
    } catch { throw error.hinting(tool.hint(for: spec)) }
  }
}
