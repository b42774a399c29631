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
