import HistoryStore
import HistoryTypes
import Measuring

/// Opening a store with history, up to its first result.
enum Openings {
  static let all = [
    BenchmarkSubject(
      "open store",
      part: "Store.init",
      operation: "of a store with history",
      "A store is opened, reads the position of its newest transaction and is closed; the floor "
        + "(SQLite in C, cost 1) opens the same file, prepares its statements, reads the same "
        + "position and closes the file."
    ) { setting in
      [try ours(setting), try floor(setting)]
    }.varying([.coreData, .cold]) { try ours($0) }
  ]

  private static let repeats = 20

  private static func ours(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.store()
    let times = setting.repeats(repeats)
    let (path, configuration) = (file.store.path, file.store.configuration)
    return MeasuredWork(contender: MeasuredWork.store, operations: times) { watch in
      try file.coolDown()
      var head: Int64 = 0
      try watch.time {
        for _ in 0..<times {
          head = try Store(path: path, configuration: configuration).currentToken().number
        }
      }
      return WorkTally(count: 1, sum: head)
    }
  }

  private static func floor(_ setting: BenchmarkSetting) throws -> MeasuredWork {
    let file = try setting.floor()
    let times = setting.repeats(repeats)
    return MeasuredWork(contender: MeasuredWork.floor, operations: times) { watch in
      var head: Int64 = 0
      try watch.time {
        for _ in 0..<times { head = try FloorDatabase(path: file.path).head() }
      }
      return WorkTally(count: 1, sum: head)
    }
  }
}
