import HistoryStore
import HistoryTypes
import Measuring

/// How much a reader with an open read transaction slows a writer down.
enum Readers {
  static let all = [
    BenchmarkSubject(
      "write beside pinned reader",
      part: "Store.batchInsert",
      operation: "of one row",
      condition: "a reader pinned",
      "Batch requests of one row while another connection keeps its read transaction open, so that "
        + "the log cannot be restarted; the floor (cost 1) is a request without a reader.",
      floor: free,
      at: .three
    ) { setting in
      // Enough for several attempts to checkpoint the log in each measurement.
      let times = setting.repeats(2000)
      return [
        try commits(setting, MeasuredWork.store, times, isPinned: true),
        try commits(setting, free, times, isPinned: false),
      ]
    }
  ]

  /// The contender that writes without a reader.
  static let free = "Store without reader"

  private static func commits(
    _ setting: BenchmarkSetting,
    _ name: String,
    _ times: Int,
    isPinned: Bool
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let reader = try SideConnection(path: file.store.path)
    return MeasuredWork(contender: name, operations: times) { watch in
      try file.side.checkpoint()
      if isPinned { try reader.pin() }
      try watch.time {
        for _ in 0..<times { try file.store.insertSlip() }
      }
      if isPinned { try reader.unpin() }
      let tally = try file.side.tally(of: SampleData.slip)
      _ = try file.store.batchDelete(SampleData.slip, by: BatchAuthor(nil))
      return tally
    }
  }
}

extension SideConnection {
  /// Opens a read transaction and reads once, which fixes its snapshot.
  fileprivate func pin() throws {
    try execute("BEGIN")
    _ = try head()
  }

  /// Ends the read transaction.
  fileprivate func unpin() throws { try execute("COMMIT") }
}
