import HistoryStore
import PersistentHistory

/// The options of `convert`.
struct ConvertOptions: Hashable, Sendable {
  /// The path of the file whose history is copied.
  var source: String
  /// The path of the store to create.
  var target: String
  var layout: HistoryLayout

  static let layoutOption = Option(
    "layout",
    .words("LAYOUT", of: HistoryLayout.allCases.map(\.rawValue)),
    defaultText: "packed",
    "How the new store keeps its history: \(HistoryLayout.allCases.map(\.rawValue).joinedAsAlternatives)."
  )

  /// - Throws: A usage error if a file is not named, the source cannot be read, or the target
  ///   exists or cannot be created.
  init(_ arguments: ParsedArguments) throws(LabError) {
    guard arguments.positionals.count == 2 else {
      throw .usage("convert needs FILE, a store file, and NEW, the store to make.")
    }
    source = arguments.positionals[0]
    target = arguments.positionals[1]
    let words = arguments.value(Self.layoutOption) ?? []
    guard words.count < 2 else { throw .usage("--layout takes one layout.") }
    layout = words.first.flatMap(HistoryLayout.init) ?? .packed
    try FilePath.checkReadable(source)
    guard FilePath.state(of: target) == .absent else {
      throw .usage("\(target.quoted) is there already, and nothing is overwritten.")
    }
    try FilePath.checkWritableFile(target, for: "NEW")
  }

  static let spec = VerbSpec(
    name: "convert",
    sentence: "Copies the history of a store, or of a real Core Data file, into a store of ours.",
    positionals: [
      PositionalSpec(
        value: ValueReader.text("FILE", "a store file").rule,
        isRequired: true,
        sentence: "A store of ours or a real Core Data file; it is only read."
      ),
      PositionalSpec(
        value: ValueReader.text("NEW", "a file that is not there yet").rule,
        isRequired: true,
        sentence: "The store to make; a file that is there is never overwritten."
      ),
    ],
    options: [layoutOption.spec],
    examples: [
      Example("convert Photos.sqlite photos.store", "The history alone, packed."),
      Example("convert a.store b.store --layout coreData", "The same in Core Data's tables."),
    ]
  )
}

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
