import HistoryStore
import HistoryTypes
import Measuring
import Systems

/// A comparison with the published designs on Core Data's tables.
///
/// It shows users of Core Data how the cost of these designs grows with the history. They run on
/// our store in its `coreData` layout, whose tables and indexes are Core Data's, with the raw
/// clock; the statements are ours, not Apple's.
enum Published {
  static let all = [pass.comparingLayouts, clean.comparingLayouts]

  private static let systems: [TrackingDesign] = [.article, .kit13, .kit2, .sevenDayPurge]

  /// The contender that is our store on the same tables.
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
    "The newest \(newCount) transactions of ten changes are fetched, merged into a context of 10,000 "
      + "objects and recorded: by a token by us, in both layouts, and by date by the published "
      + "managers, each as its rules say; instead of the floor stands ours.",
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
    "The oldest \(mergedCount) transactions, which everyone has merged, are deleted: before a token by "
      + "us, in both layouts, and before a date by the published cleaners, each as its rules say; "
      + "instead of the floor stands ours.",
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
