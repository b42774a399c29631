import Basics
package import Commands
import HistoryStore
import HistoryTypes

struct ConvertOptions: VerbOptions {
  @Argument(.storeFile) var source: String
  @Argument(
    .text("NEW", "a file that does not exist yet"),
    "The store to create; an existing file is never overwritten."
  )
  var target: String
  @Option(
    "layout",
    .choice("LAYOUT"),
    "Selects the layout of history in the new store: \(HistoryLayout.allCases.map(\.rawValue).joinedAsAlternatives)."
  )
  var layout = HistoryLayout.packed

  /// - Throws: A usage error if the source cannot be read, or the target exists or cannot be created.
  func validate(in composition: Composition) throws(LabError) {
    try FilePath.checkReadable(source)
    guard FilePath.state(of: target) == .absent else {
      throw .usage(
        "\(target.quoted) already exists, and it is not overwritten. Choose another file."
      )
    }
    try FilePath.checkWritableFile(target, for: "NEW")
  }
}

extension ConvertVerb {
  static let spec = VerbSpec(
    name: "convert",
    sentence: "Copies the history of a store or a Core Data file into a new store of this library.",
    examples: [
      Example("convert Photos.sqlite photos.store", "Copies the history, not the data."),
      Example("convert a.store b.store --layout coreData", "Uses Core Data's tables."),
    ]
  ) { (options, _, terminal) in ConvertVerb(options: options, terminal: terminal) }
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

extension VerbSpec {
  /// `convert`: a store file's history in another layout.
  package static var convert: VerbSpec { ConvertVerb.spec }
}
