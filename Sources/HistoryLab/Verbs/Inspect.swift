import HistoryStore

/// Shows what a store's history holds.
struct InspectVerb: Verb {
  let options: InspectOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    if options.verifies { return try verify() }
    let census: HistoryCensus
    do throws(InspectionError) {
      census = try StoreInspector().census(of: options.file)
    } catch {
      throw .usage(error.description)
    }
    let rendering = InspectRendering(path: options.file, census: census)
    let text =
      switch options.format {
      case .text: rendering.text()
      case .json: try rendering.json()
      case .csv: rendering.csv()
      }
    terminal.print(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    return .good
  }

  private func verify() throws(LabError) -> ExitCode {
    let findings: [HistoryFinding]
    do throws(HistoryError) {
      findings = try Store(reading: options.file).verify()
    } catch {
      throw .usage(error.description)
    }
    let rendering = VerificationRendering(path: options.file, findings: findings)
    switch options.format {
    case .text: terminal.print(rendering.text())
    case .json: terminal.print(rendering.json())
    case .csv: terminal.print(rendering.csv())
    }
    return rendering.isWrong ? .violation : .good
  }
}
