import HistoryStore
import HistoryTracking
import HistoryTypes
import LayoutTraits
import ObjectContexts
import SQLiteStorage
import TestSupport

/// A store file that several processes share; each has a connection of its own.
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
    // A process that crashes here is one whose memory is only kept aside.
    configuration.memberLocks = .none
    configuration.layout = LayoutTrait.layout
    change(&configuration)
    return try Store(path: path, model: model, configuration: configuration)
  }

  /// Launches a member on a connection of its own, with one view.
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

  /// A context of a process that is no member.
  func writer(_ author: String?) throws -> ObjectContext {
    ObjectContext(store: try open(), author: author)
  }

  /// Purges everything but the newest transaction, whoever has merged it.
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

  /// The number that the registry holds for a member that it keeps history for.
  func cursor(_ member: MemberID) throws -> Int64? {
    try open().members().first { $0.id == member && $0.state == .active }?.cursor.rawValue
  }
}

extension ObjectContext {
  /// Inserts items and saves each as a transaction of its own.
  @discardableResult
  func write(_ titles: String...) throws -> [ObjectID] {
    try titles.map { title in
      let object = try insert("Item", ["title": .string(title)])
      try save()
      return object.id
    }
  }

  /// The titles of all items that are here, sorted.
  var titles: [String] {
    get throws {
      try registeredObjects("Item").map { object in
        if case .string(let title) = object["title"] { title } else { "-" }
      }.sorted()
    }
  }
}

extension MemberSession {
  var view: ObjectContext { contexts[0] }

  /// A whole pass.
  @discardableResult
  func pass(purging: Bool = false) throws -> PassReport {
    let report = passReport(purging: purging)
    if let failure = report.failure { throw failure }
    return report
  }

  /// What a whole pass did, also where it failed.
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
