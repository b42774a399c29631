import HistoryStore

/// Shows what a store's history holds.
struct InspectVerb: Verb {
  let options: InspectOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
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
}
