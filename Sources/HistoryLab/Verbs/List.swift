/// Lists the systems, checkers, conditions and other parts of this build.
struct ListVerb: Verb {
  let options: ListOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let text = try composition.catalogue.rendered(
      options.kinds,
      as: options.format,
      width: terminal.traits.width
    )
    terminal.print(text)
    return .good
  }
}
