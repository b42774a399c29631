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
        + "Data; the bytes of history's tables and indexes are divided by the number of changes; the "
        + "floor (SQLite in C, cost 1) is not measured, because it keeps no history."
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
      "A separate process reads all history page by page; its memory is measured from before the "
        + "reader is opened; the floor (SQLite in C, cost 1) is not measured, because it has no such "
        + "reader."
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
    // A constant instead of random numbers: only bytes that depend on the clock differ between runs.
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

/// Building and inspecting a store of ten million changes.
enum Large {
  static let all = [
    BenchmarkSubject(
      "large",
      part: "Store",
      operation: "of ten million changes",
      "One save after the other builds a history of 1,000,000 transactions of ten changes, which is "
        + "then inspected, each in a separate process; the floor (SQLite in C, cost 1) is not "
        + "measured. The benchmark takes a minute and 200 MB, and is measured only if it is named."
    ) { setting in
      let size = setting.size(transactionCount)
      let path = setting.scratch.path + "/copy-large.sqlite"
      let built = try build(setting, path, size)
      let inspected = try inspect(path)
      let expected = Int64(size * HistoryWriter.changesPerTransaction)
      guard inspected.transactions == Int64(size), inspected.changes == expected else {
        throw WrongSize(expected: expected, found: inspected.changes)
      }
      return rows("building", built, size) + rows("inspecting", inspected.cost, size)
    }
  ]

  private static let transactionCount = 1_000_000

  private static func build(
    _ setting: OwnSetting,
    _ path: String,
    _ size: Int
  ) throws -> ProbeOutcome {
    let work = LongWork(title: "building the store", unit: "transactions", total: size)
    let progress = { (more: Int) in try setting.advance(work, more) }
    guard let command = HelperProcess.command else {
      var outcome = try BuildProbe.build(path: path, size, setting.seed, progress: progress)
      outcome.peakBytes = nil
      return outcome
    }
    return try BuildProbe.measure(
      command,
      path: path,
      transactions: size,
      seed: setting.seed,
      progress: progress
    )
  }

  private static func inspect(_ path: String) throws -> InspectProbe.Outcome {
    guard let command = HelperProcess.command else {
      var outcome = try InspectProbe.inspect(path: path)
      outcome.cost.peakBytes = nil
      return outcome
    }
    return try InspectProbe.measure(command, path: path)
  }

  private static func rows(
    _ contender: String,
    _ outcome: ProbeOutcome,
    _ size: Int
  ) -> [SampledRow] {
    [
      SampledRow(
        contender: contender,
        metric: .wall,
        outcome: .samples([Double(outcome.ns)]),
        historySize: size
      ),
      SampledRow(
        contender: contender,
        metric: .peakMemory,
        outcome: .memory(outcome.peakBytes),
        historySize: size
      ),
    ]
  }
}

/// An error for an inspection that finds a wrong number of transactions or changes.
private struct WrongSize: Error, CustomStringConvertible {
  let expected: Int64
  let found: Int64

  var description: String {
    "the large store should have \(expected) changes, but its inspection found \(found): the store "
      + "or the inspection has a bug."
  }
}
