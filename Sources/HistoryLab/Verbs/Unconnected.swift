// The verbs that wait for the rooms that do their work: each refuses, and says so.

/// Runs benchmarks.
struct BenchRunVerb: Verb {
  let options: BenchRunOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode { throw .lab("bench run is not connected yet.") }
}
