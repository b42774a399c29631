import HistoryStore
import PersistentHistory

/// Copies a history into a new store of this project.
struct ConvertVerb: Verb {
  let options: ConvertOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let result: ConversionResult
    do throws(HistoryError) {
      let source = try Store(reading: options.source, stopCheck: Interruption.stopCheck)
      result = try convert(source)
    } catch {
      throw .store(error, naming: options.source, options.target)
    }
    terminal.print(
      "\(options.target): \(result.transactionCount.counted("transaction")), "
        + "\(result.changeCount.counted("change")) (\(options.layout.rawValue))"
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
