import HistoryStore
import Measuring

/// Building and inspecting a store of ten million changes.
enum Large {
  static let all = [
    BenchmarkSubject(
      "large",
      part: "Store",
      operation: "of ten million changes",
      "One save after the other builds a history of 1,000,000 transactions of ten changes, which is "
        + "then inspected, each in a process of its own; the floor is missing. It takes a minute and "
        + "200 MB, and is measured only when it is named."
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

/// An error for a store whose inspection finds another number of changes than were written.
private struct WrongSize: Error, CustomStringConvertible {
  let expected: Int64
  let found: Int64

  var description: String {
    "the large store was to hold \(expected) changes, but its inspection found \(found): this is an "
      + "error of the store or of the inspection."
  }
}
