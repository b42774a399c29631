import HistoryStore

/// Copies a history into a store of ours.
struct ConvertVerb: Verb {
  let options: ConvertOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let result: ConversionResult
    do throws(HistoryError) {
      let source = try Store(reading: options.source)
      result = try convert(source)
    } catch {
      throw .unreadable(error.description, naming: options.source, options.target)
    }
    terminal.print(
      "\(options.target): \(result.transactionCount.grouped) transactions, "
        + "\(result.changeCount.grouped) changes (\(options.layout.rawValue))"
    )
    return .good
  }

  private func convert(_ source: Store) throws(HistoryError) -> ConversionResult {
    let total = try source.heldNumbers().count
    let bar = ProgressBar(
      WorkState("converting", unit: "transactions", total: total),
      on: terminal
    )
    defer { bar.finish() }
    var done = 0
    return try source.convert(to: options.target, layout: options.layout) { copied, _, _ in
      bar.advance(by: copied - done)
      done = copied
      if Interruption.isRequested { throw Interrupted() }
    }
  }
}
