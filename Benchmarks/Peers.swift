import BenchmarkFloor
import HistoryStore
import HistoryTypes
import Measuring
import Systems

/// A comparison of the store with other ways to keep history on SQLite, for writing and reading.
enum Peers {
  static let all =
    [Phase.insert, .update, .delete].flatMap { phase in
      batchSizes.map { writes(phase, $0) }
    } + [fetch]

  /// The numbers of rows written by one request or transaction.
  static let batchSizes = [10, 100, 1000]

  /// The measured phase: inserting, updating or deleting `Slip` objects.
  private enum Phase: String {
    case insert
    case update
    case delete

    /// The phases that are performed, in order; only the last one is measured.
    var steps: [Phase] { self == .insert ? [.insert] : [.insert, self] }
  }

  // MARK: Writing

  /// The number of `Slip` objects written in one measurement.
  private static let slipCount = 2000

  private static func writes(_ phase: Phase, _ size: Int) -> BenchmarkSubject {
    BenchmarkSubject(
      "peers \(phase.rawValue) \(size)",
      part: "Store.batch\(phase.rawValue.capitalized)",
      operation: "beside peers",
      condition: size.rows,
      "One request or transaction \(phase.rawValue)s \(size.rows), each recorded by the store, by SQL "
        + "triggers, by the session extension and by the triggers of sqlite-history; the floor "
        + "(SQLite in C, cost 1) records nothing.",
      at: .largest
    ) { setting in
      let batches = setting.repeats(slipCount / size)
      let items = SampleData.items(size * batches)
      let floorItems = items.map(\.floorItem)
      var writers: [any SlipWriter] = [try StoreSlips(setting, items)]
      writers += try PeerKind.all.map { try FloorSlips(setting, floorItems, $0) }
      writers.append(try FloorSlips(setting, floorItems))
      return writers.map { work($0, phase, size, batches) }
    }
  }

  private static func work(
    _ writer: any SlipWriter,
    _ phase: Phase,
    _ size: Int,
    _ batches: Int
  ) -> MeasuredWork {
    MeasuredWork(contender: writer.contender, operations: batches) { watch in
      var written: Int64 = 0
      for step in phase.steps {
        try writer.side.checkpoint()
        let run = { try Self.run(step, writer, size, batches) }
        if step == phase { try watch.time(run) } else { try run() }
        written += Int64(size * batches)
        try writer.findSlips()
      }
      let left = try writer.side.tally(of: SampleData.slip)
      let recorded = try writer.takeRecordedCount()
      try writer.clear()
      // Each peer must have a change for each row written; the floor records none and returns
      // `nil`.
      return WorkTally(count: recorded ?? written, sum: left.count &* 1 << 32 &+ left.sum)
    }
  }

  private static func run(
    _ step: Phase,
    _ writer: any SlipWriter,
    _ size: Int,
    _ batches: Int
  ) throws {
    for batch in 0..<batches {
      let numbers = batch * size..<(batch + 1) * size
      switch step {
      case .insert: try writer.insert(numbers)
      case .update: try writer.update(numbers)
      case .delete: try writer.delete(numbers)
      }
    }
  }

  // MARK: Reading

  private static let transactionCount = 1000

  private static let fetch = BenchmarkSubject(
    "peers fetch",
    part: "Store.fetch",
    operation: "beside peers",
    condition: "1000 new",
    "The newest 1000 transactions of ten changes are read and unpacked; the session extension's "
      + "iterator reads the same changes from one changeset a transaction, and the floor (SQLite in "
      + "C, cost 1) unpacks the bytes of the store in C.",
    at: .largest
  ) { setting in
    let session = try setting.floor()
    let (kind, name) = PeerKind.session
    try session.floor.attach(kind, to: SampleData.item)
    let file = try setting.store()
    let start = try file.store.currentToken()
    var writer = try HistoryWriter(file.store, seed: 1)
    try writer.append(transactionCount)
    let request = HistoryRequest(after: start, transactionCountMax: transactionCount)
    try session.replay(try file.store.fetch(request))
    let floor = try FloorDatabase(path: file.store.path)
    let times = setting.repeats(12)
    return [
      MeasuredWork(contender: MeasuredWork.store, operations: times) { watch in
        try watch.time { for _ in 0..<times { _ = try file.store.fetch(request) } }
        return WorkTally(changesOf: try file.store.fetch(request))
      },
      MeasuredWork(contender: name, operations: times) { watch in
        try watch.time {
          for _ in 0..<times { try session.floor.fetchRecorded(after: 0) { _ in } }
        }
        return try session.floor.fetchRecorded(after: 0) { WorkTally(changesOf: $0) }
      },
      MeasuredWork(contender: MeasuredWork.floor, operations: times) { watch in
        try watch.time {
          for _ in 0..<times {
            try floor.fetch(after: start.number, limit: transactionCount) { _ in }
          }
        }
        return try floor.fetch(after: start.number, limit: transactionCount) {
          WorkTally(changesOf: $0)
        }
      },
    ]
  }
}

extension BenchmarkFloorFile {
  /// Makes the changes of a history page in this file, one SQL transaction per history transaction.
  ///
  /// A peer (an alternative to this library) that is attached to the file records the changes.
  func replay(_ page: HistoryPage) throws {
    for record in page.records {
      let changes = page.changeRecords[record.firstChange..<record.firstChange + record.count]
      try floor.apply(
        changes.map { change in
          FloorChange(
            key: change.key,
            columns: change.columns,
            entity: change.entity,
            tombstone_start: 0,
            tombstone_length: 0,
            type: change.type.rawValue
          )
        },
        version: record.number
      )
    }
  }
}

extension WorkTally {
  /// Counts the changes of a page, and adds up their keys, column bit masks and type numbers.
  ///
  /// The sum is a checksum. It leaves out tombstones, because each history format stores them
  /// differently.
  fileprivate init(changesOf page: HistoryPage) {
    self.init(
      count: page.changes.count,
      sum: page.changeRecords.reduce(0) {
        $0 &+ $1.key &+ Int64($1.columns) &+ Int64($1.type.rawValue)
      }
    )
  }

  /// Counts the changes of a page read in C, and computes the same checksum as for a `HistoryPage`.
  fileprivate init(changesOf page: borrowing FloorPage) {
    let changes = UnsafeBufferPointer(start: page.changes, count: Int(page.change_count))
    self.init(
      count: changes.count,
      sum: changes.reduce(0) { $0 &+ $1.key &+ Int64($1.columns) &+ Int64($1.type) }
    )
  }
}

/// A comparison with the published designs on Core Data's tables.
///
/// The comparison shows users of Core Data how the cost of these designs grows with the history.
/// The designs run on our store in its `coreData` layout, whose tables and indexes are Core Data's.
/// The prebuilt history has plain clock values as timestamps, as in Core Data. The SQL statements
/// are ours, not Apple's.
enum Published {
  static let all = [pass.comparingLayouts, clean.comparingLayouts]

  private static let systems: [TrackingDesign] = [.article, .kit13, .kit2, .sevenDayPurge]

  /// The name of the contender that is our store on Core Data's tables.
  private static let coreData = "Store, coreData layout"

  /// All authors of the history, and the author of the reading member.
  private static let authors = HistoryWriter.authors(StoreShape.base.authorCount) + [reader]
  private static let reader = "reader"

  // MARK: Merging

  private static let newCount = 100

  private static let pass = BenchmarkSubject(
    "published pass",
    part: "TrackerCore.pass",
    operation: "beside published protocols",
    condition: "\(newCount) new",
    "The newest \(newCount) transactions of ten changes are fetched, merged into a context of "
      + "10,000 objects and recorded: after a token by our store, in both layouts, and after a "
      + "date by the published managers, each by its own rules; the floor (cost 1) is our store.",
    floor: MeasuredWork.store,
    at: .moderate
  ) { setting in
    let theirs = try MergeData(setting.coreData, transactionCount: newCount)
    return [
      Passes.pass(try MergeData(setting, transactionCount: newCount)),
      Passes.pass(theirs, coreData),
    ] + (try systems.map { try pass($0, theirs) })
  }

  private static func pass(_ design: TrackingDesign, _ data: MergeData) throws -> MeasuredWork {
    let last = try data.file.store.transaction(TransactionNumber(data.page.records[0].number - 1))
    return MeasuredWork(contender: design.name, operations: 1) { watch in
      let manager = try PublishedManager(design, author: reader, of: authors, on: data.before)
        .resumed(on: data.file.store)
      if let last { manager.keep(last, of: reader) }
      let count = try watch.time { try manager.pass() }
      precondition(count == newCount, "\(design.name) has merged \(count) of \(newCount)")
      return try data.tally(in: manager.view)
    }
  }

  // MARK: Deleting

  private static let mergedCount = 100

  private static let clean = BenchmarkSubject(
    "published clean",
    part: "Store.purge",
    operation: "beside published protocols",
    condition: "\(mergedCount) merged",
    "The oldest \(mergedCount) transactions, which everyone has merged, are deleted: before a "
      + "token by our store, in both layouts, and before a date by the published cleaners, each "
      + "by its own rules; the floor (cost 1) is our store.",
    floor: MeasuredWork.store,
    at: .moderate
  ) { setting in
    [
      try Purges.ours(setting, mergedCount),
      try Purges.ours(setting.coreData, mergedCount).named(coreData, keepingSum: true),
    ] + (try systems.map { try clean($0, setting.coreData) })
  }

  private static func clean(
    _ design: TrackingDesign,
    _ setting: BenchmarkSetting
  ) throws -> MeasuredWork {
    let file = try setting.store()
    let manager = try PublishedManager(design, author: reader, of: authors, on: file.store)
    return MeasuredWork(contender: design.name, operations: 1) { watch in
      let first = try file.side.prepareForPurge(of: mergedCount)
      let request = HistoryRequest(after: nil, transactionCountMax: mergedCount)
      _ = try file.store.fetch(request)
      guard let kept = try file.store.transaction(TransactionNumber(first + Int64(mergedCount)))
      else {
        return WorkTally(count: 0 as Int64, sum: 0)
      }
      for author in authors { manager.keep(kept, of: author) }
      // Seven days after the oldest remaining transaction was written.
      let now = kept.timestamp.addingTimeInterval(7 * 86_400)
      _ = try watch.time { try manager.clean(at: now) }
      let count = try file.side.firstNumber() - first
      return WorkTally(count: count, sum: count)
    }
  }
}
