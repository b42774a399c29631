import HistoryStore

/// Shows the content of a store's history.
struct InspectVerb: Verb {
  let options: InspectOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    switch options.question {
    case .census(let bound): try showCensus(purging: bound)
    case .verification: try verify()
    case .query(let sql): try answer(sql)
    }
  }

  private func showCensus(purging bound: PurgeBound?) throws(LabError) -> ExitCode {
    let census: HistoryCensus
    do throws(InspectionError) {
      let inspector = StoreInspector(stopCheck: Interruption.stopCheck)
      census = try inspector.census(of: options.file, purging: bound)
    } catch {
      throw .inspection(error)
    }
    var rendering = InspectRendering(path: options.file, census: census)
    rendering.width = terminal.traits.columns
    if options.showsValues {
      do throws(HistoryError) {
        rendering.tombstones = try TombstoneSample.newest(in: options.file)
      } catch {
        throw .store(error, naming: options.file)
      }
    }
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
      findings = try Store(reading: options.file, stopCheck: Interruption.stopCheck).verify()
    } catch {
      throw .store(error, naming: options.file)
    }
    let rendering = VerificationRendering(path: options.file, findings: findings)
    switch options.format {
    case .text:
      let lines = rendering.text().split(separator: "\n").map(String.init)
      for line in lines.flatMap({ Columns.fit($0, width: terminal.traits.columns) }) {
        terminal.print(line)
      }
    case .json: terminal.print(rendering.json())
    case .csv: terminal.print(rendering.csv())
    }
    return rendering.isWrong ? .violation : .good
  }

  private func answer(_ sql: String) throws(LabError) -> ExitCode {
    var rendering = QueryRendering(options.format, print: terminal.print)
    let hides: Bool
    do throws(HistoryError) {
      hides = try Store(reading: options.file, stopCheck: Interruption.stopCheck).query(
        sql,
        showsTombstones: options.showsValues,
        columns: { rendering.begin($0) },
        row: { row in
          if Interruption.isRequested { throw Interrupted() }
          try rendering.add(row)
        }
      )
    } catch {
      throw .store(error, naming: options.file)
    }
    rendering.end()
    if hides { terminal.log("Values of deleted objects are shown as null; --values shows them.") }
    return .good
  }
}
