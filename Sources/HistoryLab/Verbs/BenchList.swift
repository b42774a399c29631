/// Lists the benchmarks.
struct BenchListVerb: Verb {
  let options: BenchListOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let text = try composition.catalogue.rendered(
      [.benchmarks, .axes],
      as: options.format,
      width: terminal.traits.width
    )
    terminal.print(text)
    return .good
  }
}
