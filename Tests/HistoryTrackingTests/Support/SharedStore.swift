import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import SQLiteStorage
import StoreFixtures
import TestSupport

/// A store file shared by several processes, each with its own connection.
struct SharedStore {
  let folder: TemporaryFolder
  let model: Model
  var path: String { folder.path("shared.store") }

  init() throws {
    folder = try TemporaryFolder()
    model = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int),
        ]
      )
    ])
  }

  func open(_ change: (inout StoreConfiguration) -> Void = { _ in }) throws -> Store {
    var configuration = StoreConfiguration()
    // A crashed process stays in memory here, so its lock must not matter.
    configuration.memberLocks = .none
    configuration.layout = LayoutTrait.layout
    change(&configuration)
    return try Store(path: path, model: model, configuration: configuration)
  }

  /// Launches a member on a new connection, with one view.
  func launch(
    _ member: MemberID,
    author: String? = nil,
    ignoring ignored: Set<String> = [],
    page: Int = 1000,
    on store: Store? = nil
  ) throws -> MemberSession {
    let store = try store ?? open()
    let author = author ?? member.name
    return try MemberSession(
      member,
      store: store,
      contexts: [ObjectContext(store: store, author: author, name: "view")],
      author: author,
      ignoredAuthors: ignored,
      pageTransactionCountMax: page
    )
  }

  /// A context of a process that is not a member.
  func writer(_ author: String?) throws -> ObjectContext {
    ObjectContext(store: try open(), author: author)
  }

  /// Purges everything but the newest transaction, regardless of what members have merged.
  func purgeRegardless() throws {
    let connection = try Connection(path: path)
    try connection.execute("UPDATE history_member SET state = state + 10")
    try open().purge()
    try connection.execute("UPDATE history_member SET state = state - 10")
  }

  /// Marks a member as cut off by a retention limit.
  func cutOff(_ member: MemberID) throws {
    let connection = try Connection(path: path)
    try connection.execute("UPDATE history_member SET state = 2 WHERE id = '\(member.name)'")
  }

  /// The registered cursor of an active member.
  func cursor(_ member: MemberID) throws -> Int64? {
    try open().members().first { $0.id == member && $0.state == .active }?.cursor.rawValue
  }
}

extension ObjectContext {
  /// Inserts items, and saves each as one transaction.
  @discardableResult
  func write(_ titles: String...) throws -> [ObjectID] {
    try titles.map { title in
      let object = try insert("Item", ["title": .string(title)])
      try save()
      return object.id
    }
  }

  /// The titles of all registered items, sorted.
  var titles: [String] {
    get throws {
      try registeredObjects("Item").map { object in
        try object["title"]?.string ?? "-"
      }.sorted()
    }
  }
}

extension MemberSession {
  var view: ObjectContext { contexts[0] }

  /// Merges the fetched page and advances past it, as a pass without a deduplicator does.
  func mergePage() throws -> [HistoryTransaction] {
    let merged = try merge()
    passOver()
    return merged
  }

  /// A whole pass.
  @discardableResult
  func pass(purging: Bool = false) throws -> PassReport {
    let report = passReport(purging: purging)
    if let failure = report.failure { throw failure }
    return report
  }

  /// Runs a whole pass, and returns its report even if it failed.
  func passReport(purging: Bool) -> PassReport {
    var configuration = TrackerConfiguration()
    configuration.strategy = purging ? .whenMerged : .none
    configuration.logLevel = nil
    configuration.clock = TrackerClock(now: { .zero }, sleep: { _ in })
    return TrackerCore(self, configuration).pass(launching: false)
  }
}

extension Sequence<HistoryTransaction> {
  var numbers: [Int64] { map(\.number.rawValue) }
}

extension SharedStore {
  /// Makes the changes of a transaction unreadable.
  func damageChanges(of number: Int64) throws {
    let connection = try Connection(path: path)
    try connection.execute(LayoutTrait.layout.damage(of: number))
  }
}
