// The verbs that wait for the rooms that do their work: each refuses, and says so.

/// Turns runs into a page.
struct ReportVerb: Verb {
  let options: ReportOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode { throw .lab("report is not connected yet.") }
}

/// Shows what a store's history holds.
struct InspectVerb: Verb {
  let options: InspectOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode { throw .lab("inspect is not connected yet.") }
}
