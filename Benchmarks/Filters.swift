import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Measuring

/// Fetches of the transactions after a token, filtered by author or by entity.
enum Filters {
  static let all = [
    author.varying([.oneAuthor, .manyAuthors, .coreData]) { try ofAuthor($0) },
    entity,
  ]

  /// The number of matching transactions that are fetched.
  private static let count = 50
  private static let repeats = 80

  // MARK: By author

  private static let writer = "app"
  /// Enough new transactions for each of up to sixteen authors to have written `count` of them.
  private static let newCount = Int64(16 * count)

  private static let author = BenchmarkSubject(
    "fetch by author",
    part: "Store.fetch",
    operation: "of one author",
    condition: "\(count) of \(newCount) new",
    "The first \(count) of one author's transactions after a token are read and unpacked; the floor "
      + "asks for the same author and unpacks the same bytes in C."
  ) { setting in
    [try ofAuthor(setting), try floorOfAuthor(setting)]
  }.needing(Int(newCount))

  private static func ofAuthor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.store()
    let token = try file.token(try file.side.head() - newCount)
    let fetches = setting.repeats(repeats)
    return MeasuredWork(contender: MeasuredWork.store, operations: fetches) { watch in
      let request = HistoryRequest(
        after: token,
        filter: .author(writer),
        transactionCountMax: count
      )
      try watch.time {
        for _ in 0..<fetches { _ = try file.store.fetch(request) }
      }
      return WorkTally(try file.store.fetch(request))
    }
  }

  private static func floorOfAuthor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.floor()
    let after = try file.side.head() - newCount
    let fetches = setting.repeats(repeats)
    return MeasuredWork(contender: MeasuredWork.floor, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches {
          try file.floor.fetch(author: writer, after: after, limit: count) { _ in }
        }
      }
      return try file.floor.fetch(author: writer, after: after, limit: count) { WorkTally($0) }
    }
  }

  // MARK: By entity

  /// The number of transactions on items for each transaction on a slip.
  private static let itemCount = 19

  private static let entity = BenchmarkSubject(
    "fetch by entity",
    part: "Store.fetch",
    operation: "of one entity",
    condition: "\(count) of \(count * (itemCount + 1)) new",
    "Of the new transactions the \(count) that changed one entity are read and unpacked; the floor "
      + "asks for the same bit of their entities and unpacks the same bytes in C."
  ) { setting in
    let file = try setting.store()
    let start = try file.store.currentToken()
    var writer = try HistoryWriter(file.store, seed: 1)
    for _ in 0..<count {
      try writer.append(itemCount)
      try file.store.insertSlip()
    }
    return [ofEntity(file, start, setting), try floorOfEntity(file, start, setting)]
  }

  private static func ofEntity(
    _ file: BenchmarkStore,
    _ start: HistoryToken,
    _ setting: BenchmarkSetting
  ) -> MeasuredWork {
    let fetches = setting.repeats(repeats)
    let request = HistoryRequest(
      after: start,
      filter: .entity(SampleData.slip),
      transactionCountMax: count
    )
    return MeasuredWork(contender: MeasuredWork.store, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches { _ = try file.store.fetch(request) }
      }
      return WorkTally(try file.store.fetch(request))
    }
  }

  private static func floorOfEntity(
    _ file: BenchmarkStore,
    _ start: HistoryToken,
    _ setting: BenchmarkSetting
  ) throws -> MeasuredWork {
    let floor = try FloorDatabase(path: file.store.path)
    let entity = file.store.model.number(of: SampleData.slip) ?? 0
    let fetches = setting.repeats(repeats)
    return MeasuredWork(contender: MeasuredWork.floor, operations: fetches) { watch in
      try watch.time {
        for _ in 0..<fetches {
          try floor.fetch(entity: entity, after: start.number, limit: count) { _ in }
        }
      }
      return try floor.fetch(entity: entity, after: start.number, limit: count) { WorkTally($0) }
    }
  }
}
