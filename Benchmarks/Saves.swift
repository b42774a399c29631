import HistoryStore
import HistoryTypes
import Measuring
import ObjectContexts

/// Benchmarks that save 1, 10 or 100 changed objects of a context.
enum Saves {
  static let all = [1, 10, 100].map(save)

  private static func save(_ objectCount: Int) -> BenchmarkSubject {
    let objects = objectCount.counted("object")
    let subject = BenchmarkSubject(
      "write save \(objectCount)",
      part: "ObjectContext.save",
      operation: "of \(objects)",
      "Two attributes of \(objects), of 10,000 registered ones, are set and saved; the floor (SQLite "
        + "in C, cost 1) updates as many rows by their keys."
    ) { setting in
      let saves = setting.repeats(1000 / objectCount)
      return [try ours(setting, objectCount, saves), try floor(setting, objectCount, saves)]
    }
    guard objectCount == 10 else { return subject }
    return subject.varying([.coreData, .full, .captured]) {
      try ours($0, objectCount, $0.repeats(100))
    }
  }

  private static func ours(
    _ setting: BenchmarkSetting,
    _ objectCount: Int,
    _ saves: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let context = ObjectContext(store: file.store, author: "app", name: "view")
    try context.loadAll()
    let objects = try context.registeredObjects(SampleData.item)
    var turn = 0
    return MeasuredWork(contender: MeasuredWork.store, operations: saves) { watch in
      try file.side.checkpoint()
      try watch.time {
        for save in 1...saves {
          for offset in 0..<objectCount {
            let object = objects[place(turn, offset, of: objects.count)]
            try object.set(.int(Int64(save)), for: "quantity")
            try object.set(.double(Double(save) * 0.5), for: "price")
          }
          try context.save()
          turn += 1
        }
      }
      try file.trim()
      return try file.side.tally(of: SampleData.item)
    }
  }

  private static func floor(
    _ setting: BenchmarkSetting,
    _ objectCount: Int,
    _ saves: Int
  ) throws -> MeasuredWork {
    let file = try setting.floor()
    let keys = try file.itemKeys()
    var turn = 0
    return MeasuredWork(contender: MeasuredWork.floor, operations: saves) { watch in
      try file.side.checkpoint()
      try watch.time {
        for save in 1...saves {
          let some = (0..<objectCount).map { keys[place(turn, $0, of: keys.count)] }
          try some.withUnsafeBufferPointer {
            try file.floor.updateItems(
              $0,
              version: Int64(save),
              quantity: Int64(save),
              price: Double(save) * 0.5
            )
          }
          turn += 1
        }
      }
      return try file.side.tally(of: SampleData.item)
    }
  }

  /// Returns the index of an object to change in a save.
  ///
  /// Each save changes consecutive objects. The first index differs from that of the previous save.
  private static func place(_ turn: Int, _ offset: Int, of count: Int) -> Int {
    (turn * 1009 + offset) % count
  }
}

extension BenchmarkFloorFile {
  /// Returns the keys of all items, sorted.
  func itemKeys() throws -> [Int64] {
    let store = try Store(path: path, configuration: StoreTemplate.configuration)
    return try store.rows(store.model.number(of: SampleData.item) ?? 0).keys
  }
}
