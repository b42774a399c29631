import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization
import Traces

/// The values of an object of ``LargeListScript``.
struct ListRow: Equatable {
  var count: Int64
  /// The number in the title; titles sort in the order of their numbers.
  var title: Int
  /// If `true`, the text `first` is null and `second` is empty; if `false`, the reverse.
  var isSwapped: Bool

  static let attributes = [
    Attribute("title", .string), Attribute("first", .string), Attribute("second", .string),
    Attribute("count", .int),
  ]

  var values: Values {
    [
      "title": .string("t\(title + 100)"), "count": .int(count), "first": isSwapped ? .null : "",
      "second": isSwapped ? "" : .null,
    ]
  }

  init(count: Int64, title: Int, isSwapped: Bool) {
    (self.count, self.title, self.isSwapped) = (count, title, isSwapped)
  }

  /// Creates the row of an object; `nil` without an object, or if its values form no valid row.
  init?(_ object: StoredObject?) throws(HistoryError) {
    guard let object, let title = try object["title"]?.string, let number = Int(title.dropFirst()),
      let count = try object["count"]?.int
    else { return nil }
    self.init(count: count, title: number - 100, isSwapped: try object["first"] == .null)
    let texts = try object.values(of: ["first", "second"])
    guard texts == [values["first"] ?? .null, values["second"] ?? .null] else { return nil }
  }
}

/// A live query of ``LargeListScript``, with its predicate and order also as Swift closures.
///
/// The closures compute the results that the query must have.
struct ListOrder: CustomStringConvertible {
  let description: String
  var predicate: ObjectPredicate?
  var orders: [ObjectOrder] = []
  var section: ObjectOrder?
  var limit: Int?
  var offset = 0
  /// A closure that returns whether ``predicate`` must match a row.
  ///
  /// The default matches all rows.
  var holds: (ListRow) -> Bool = { _ in true }
  /// A closure that returns the number by which a row sorts, ascending; ties are in key order.
  let sorting: (ListRow) -> Int64

  /// Returns three queries: all objects in sections, a range far from the start, and a short list.
  static func all(_ seed: ScriptRandom) -> [ListOrder] {
    [
      ListOrder(description: "all by count", section: "count") { row in row.count },
      ListOrder(
        description: "some by count and title",
        orders: [.descending("count"), "title"],
        limit: 40 + seed.draw(20),
        offset: 430 + seed.draw(30)
      ) { row in Int64(row.title) - row.count * 100 },
      ListOrder(
        description: "few by title",
        predicate: .compare("count", .less, 50),
        orders: [.descending("title")],
        limit: 6 + seed.draw(6),
        offset: seed.draw(4),
        holds: { $0.count < 50 },
        sorting: { row in Int64(-row.title) }
      ),
    ]
  }

  /// Returns the keys of the objects that the query must find, in their order.
  func keys(_ rows: [Int64: ListRow]) -> [Int64] {
    // Keys have less than 32 bits.
    var found: [Int64] = []
    for (key, row) in rows where holds(row) { found.append(sorting(row) << 32 | key) }
    found.sort()
    return found.dropFirst(offset).prefix(limit ?? .max).map { $0 & 0xffff_ffff }
  }
}

/// A copy of a live query's results, kept current only by the differences that the query reports.
struct ListCopy {
  let query: ListOrder
  private let reader: LiveReader
  private(set) var ids: [ObjectID] = []
  /// The values that the objects had when the query reported them as inserted or updated.
  private(set) var rows: [Int64: ListRow] = [:]

  init?(_ query: ListOrder, _ view: ObjectContext) throws(HistoryError) {
    self.query = query
    let live = try view.liveObjects(
      "Item",
      where: query.predicate,
      sortedBy: query.orders,
      sectionedBy: query.section,
      limit: query.limit,
      offset: query.offset
    )
    guard let reader = live.makeAsyncIterator().reader else { return nil }
    self.reader = reader
  }

  /// Evaluates the query and applies a new result to this copy; returns a fault in words, or `nil`.
  mutating func read(_ view: ObjectContext) throws(HistoryError) -> String? {
    guard case .result(let result) = try reader.evaluate() else { return nil }
    guard let next = ids.applying(result.difference), next == result.objectIDs else {
      return "\(result.difference) does not lead from \(ids) to \(result.objectIDs)"
    }
    ids = next
    for change in result.difference.insertions {
      guard case .insert(let place, let id, _) = change else { continue }
      let object = result[place]
      if object.id != id { return "\(object.id) is at the place \(place) of \(id)" }
      rows[id.key] = try ListRow(object)
    }
    for id in result.updated { rows[id.key] = try ListRow(view.object(id)) }
    guard query.section != nil else { return nil }
    let sections = result.sections.flatMap { section in section.range.map { _ in section.value } }
    let counts = ids.map { Value.int(rows[$0.key]?.count ?? -1) }
    return sections == counts ? nil : "the sections are \(result.sections)"
  }
}

/// A task that awaits the results of a live query, one after the other, until the query ends.
final class WaitingReader {
  let task: Task<Void, Never>
  private let executor: InlineExecutor
  private let inbox: Inbox

  init(_ live: LiveObjects) {
    let (inbox, executor) = (Inbox(), InlineExecutor())
    (self.inbox, self.executor) = (inbox, executor)
    task = Task(executorPreference: executor) { await inbox.read(live) }
  }

  /// Lets the task continue until it waits or ends, and returns what it has read so far.
  func run() -> Inbox.Content {
    executor.runAll()
    return inbox.content.withLock { $0 }
  }

  /// The results of the live query that the task has received, each as a list of object IDs.
  final class Inbox: Sendable {
    struct Content {
      var lists: [[ObjectID]] = []
      var error: HistoryError?
      var isOver = false
    }

    let content = Mutex(Content())

    /// Reads results until the sequence ends.
    fileprivate func read(_ live: LiveObjects) async {
      var iterator = live.makeAsyncIterator()
      do throws(HistoryError) {
        while let ids = try await iterator.next()?.objectIDs {
          content.withLock { $0.lists.append(ids) }
        }
      } catch {
        content.withLock { $0.error = error }
      }
      content.withLock { $0.isOver = true }
    }
  }
}
