import HistoryInspection
import HistoryStore
import HistoryTypes
import Measuring

/// The size of history in the file, and the memory needed to read all of it.
enum Sizes {
  static let all = [
    BenchmarkSubject(
      "history bytes",
      part: "Store.configuration",
      operation: "layouts",
      condition: "the same transactions",
      "The same 10,000 transactions of ten changes are saved in the packed layout and in that of Core "
        + "Data; what the tables and indexes of the history take is shared out over the changes; the "
        + "floor is missing, for it keeps no history."
    ) { setting in
      let size = min(setting.historySize, setting.repeats(10_000))
      return [
        try bytes(setting, MeasuredWork.store, .packed, size),
        try bytes(setting, coreDataLayout, .coreData, size),
      ]
    }.counting,
    BenchmarkSubject(
      "history stream",
      part: "Store.reader",
      operation: "of all history",
      "A process of its own reads all of the history page by page; its memory is watched from before "
        + "the reader is opened; the floor is missing, for it reads nothing so."
    ) { setting in
      let path = try setting.copy()
      guard let command = HelperProcess.command else {
        var outcome = try StreamProbe.stream(path: path)
        outcome.growthBytes = nil
        return rows(outcome)
      }
      return rows(try StreamProbe.measure(command, path: path))
    }.counting,
  ]

  static let coreDataLayout = "coreData layout"

  private static func bytes(
    _ setting: BenchmarkSetting,
    _ contender: String,
    _ layout: HistoryLayout,
    _ size: Int
  ) throws -> SampledRow {
    let path = setting.scratch.path + "/copy-\(layout.rawValue).sqlite"
    var builder = TemplateBuilder(folder: setting.scratch.path, seed: 1)
    builder.configuration.layout = layout
    // Gives the same bytes in every run, except for the digits of the clock.
    builder.configuration.random = { 0x5eed }
    try builder.write(path, size) { _ in }
    let census = try StoreInspector().census(of: path)
    let outcome: SampledRow.Outcome =
      if let bytes = census.storage.historyBytes {
        .samples([Double(bytes) / Double(census.changes)])
      } else {
        .notMeasured("this SQLite was built without dbstat, which counts the pages of a table")
      }
    return SampledRow(
      contender: contender,
      metric: .bytesPerChange,
      outcome: outcome,
      historySize: size
    )
  }

  private static func rows(_ outcome: StreamProbe.Outcome) -> [SampledRow] {
    [
      SampledRow(
        contender: MeasuredWork.store,
        metric: .wall,
        outcome: .samples([Double(outcome.ns)])
      ),
      SampledRow(
        contender: MeasuredWork.store,
        metric: .memoryGrowth,
        outcome: .memory(outcome.growthBytes)
      ),
      SampledRow(
        contender: MeasuredWork.store,
        metric: Metric(name: "changes read", kind: .exact, unit: "changes"),
        outcome: .samples([Double(outcome.changes)])
      ),
    ]
  }
}
