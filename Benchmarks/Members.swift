import HistoryStore
import HistoryTypes
import Measuring

/// Writes of a member to the registry: recording a cursor, and joining.
enum Members {
  static let all = [
    BenchmarkSubject(
      "member record",
      part: "Store.record",
      operation: "of a cursor",
      "A member records how far it has merged; the floor updates the member's row."
    ) { setting in
      let times = setting.repeats(300)
      return [try recordOurs(setting, times), try recordFloor(setting, times)]
    }.varying([.full]) { try recordOurs($0, $0.repeats(300)) },
    BenchmarkSubject(
      "member join",
      part: "Store.join",
      operation: "of a known member",
      "A member launches again in a new epoch; the floor counts the epoch up and updates the row."
    ) { setting in
      let times = setting.repeats(200)
      return [try joinOurs(setting, times), try joinFloor(setting, times)]
    },
  ]

  private static let name = "reader"

  private static func recordOurs(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let member = try file.store.join(MemberID(name))
    let token = try file.store.currentToken()
    return MeasuredWork(contender: MeasuredWork.store, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for _ in 0..<times { try file.store.record(member, through: token) }
      }
      return try file.side.tallyOfMembers()
    }
  }

  private static func recordFloor(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.floorWithMember()
    let head = try file.side.head()
    let mark = try file.side.mark(of: head)
    return MeasuredWork(contender: MeasuredWork.floor, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for time in 0..<times {
          try file.floor.record(name, cursor: head, mark: mark, seen: Double(time))
        }
      }
      return try file.side.tallyOfMembers()
    }
  }

  private static func joinOurs(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.store()
    _ = try file.store.join(MemberID(name))
    return MeasuredWork(contender: MeasuredWork.store, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for _ in 0..<times { _ = try file.store.join(MemberID(name)) }
      }
      return try file.side.tallyOfMembers()
    }
  }

  private static func joinFloor(
    _ setting: BenchmarkSetting,
    _ times: Int
  ) throws -> MeasuredWork {
    let file = try setting.floorWithMember()
    return MeasuredWork(contender: MeasuredWork.floor, operations: times) { watch in
      try file.side.checkpoint()
      try watch.time {
        for time in 0..<times { _ = try file.floor.join(name, seen: Double(time)) }
      }
      return try file.side.tallyOfMembers()
    }
  }
}

extension BenchmarkSetting {
  /// Creates a floor on a file in which a member has joined.
  fileprivate func floorWithMember() throws -> BenchmarkFloorFile {
    let path = try copy()
    let store = try Store(path: path, configuration: StoreTemplate.configuration)
    _ = try store.join(MemberID("reader"))
    return try BenchmarkFloorFile(path: path)
  }
}

extension SideConnection {
  /// Tallies the sums of the members' cursors and of their epochs.
  fileprivate func tallyOfMembers() throws -> WorkTally {
    WorkTally(
      count: try integer("SELECT sum(cursor) FROM history_member"),
      sum: try integer("SELECT sum(epoch) FROM history_member")
    )
  }
}
