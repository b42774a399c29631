import Faults
import HistoryStore
import LayoutTraits
import PersistentHistory
import SQLiteStorage
import Testing

/// Makes each call of a request to the file system fail, one after the other, until the request runs
/// through.
@Suite(.inEveryLayout) struct `When the file system fails at any call` {
  /// What a store holds, as another connection sees it.
  private struct Holding: Equatable {
    var rows: [[Value]]
    var keys: [[Int64]]
    var transactions: [String]
  }

  /// A store on the heap that is put back before every try.
  private final class Sweep {
    let files = HeapFileSystem(seed: 1)
    let store: Store
    private let observer: Store
    private let image: FileSystemImage

    init(_ durability: StoreConfiguration.Durability) throws {
      var configuration = StoreConfiguration()
      configuration.vfs = files.name
      configuration.busyTimeoutMs = 0
      configuration.durability = durability
      configuration.layout = LayoutTrait.layout
      configuration.clock = { Date(timeIntervalSinceReferenceDate: 1000) }
      let model = try StoreFixture.model()
      store = try Store(path: "sweep", model: model, configuration: configuration)
      observer = try Store(path: "sweep", model: model, configuration: configuration)
      for number in 1...6 {
        try store.add(["a\(number)", "b\(number)"], by: number == 3 ? "widget" : "app")
      }
      image = files.snapshot()
    }

    private func putBack() throws {
      files.restore(image)
      try store.forget()
      try observer.forget()
    }

    private func holding() throws -> Holding {
      let rows = try observer.snapshot().rows
      let page = try observer.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
      return Holding(
        rows: rows.map(\.values),
        keys: rows.map(\.keys),
        transactions: page.transactions.map { transaction in
          let changes = transaction.changes.map { "\($0.type) \($0.objectID) \($0.columns)" }
          return "\(transaction.number) \(transaction.author ?? "-") \(changes)"
        }
      )
    }

    /// Runs a request with every failure of a kind, and answers how many there were.
    func run(_ kind: FileFault.Kind, from: Bool, _ request: (Store) throws -> Void) throws -> Int {
      try putBack()
      let before = try holding()
      try request(store)
      let after = try holding()
      var failures = 0
      for k in 1...1000 {
        try putBack()
        files.arm([FileFault(kind, k: k, from: from)])
        let error = attempt(request)
        let struck = files.disarm().contains { $0.failedCalls > 0 }
        try check(error, kind, struck, before: before, after: after)
        guard struck else { return failures }
        failures += 1
        if error != nil { try request(store) }
        #expect(try holding() == after, "call \(k): the next try")
        try checkIntegrity()
      }
      Issue.record("The request never ran through.")
      return failures
    }

    private func attempt(_ request: (Store) throws -> Void) -> HistoryError? {
      do {
        try request(store)
        return nil
      } catch {
        return HistoryError(error)
      }
    }

    private func check(
      _ error: HistoryError?,
      _ kind: FileFault.Kind,
      _ struck: Bool,
      before: Holding,
      after: Holding
    ) throws {
      let now = try holding()
      guard let error else {
        #expect(now == after, "a request that succeeded took effect")
        return
      }
      #expect(struck, "\(error)")
      #expect(now == before || now == after, "\(error): half of it took effect")
      guard case .sqlite(let cause) = error else {
        Issue.record("\(error)")
        return
      }
      let causes: [SQLiteError.Cause] =
        switch kind {
        case .full: [.full]
        case .busy: [.busy]
        case .ioError, .shortRead: [.io, .cannotOpen]
        }
      #expect(causes.contains(cause.cause), "\(error)")
    }

    private func checkIntegrity() throws {
      var options = ConnectionOptions()
      options.vfs = files.name
      #expect(try Connection(path: "sweep", options).text("PRAGMA integrity_check") == "ok")
    }
  }

  private static let requests: [String: @Sendable (Store) throws -> Void] = [
    "save": { store in
      let id = ObjectID(entity: 1, key: 1)
      let new = ObjectID(entity: 1, key: 900)
      try store.save(
        [
          ObjectEdit(.update, id, columns: 1, values: ["x"]),
          ObjectEdit(.delete, ObjectID(entity: 1, key: 2)),
          ObjectEdit(.insert, new, values: ["y"] + Array(repeating: .null, count: 7)),
        ],
        .objectWins,
        by: "new author"
      )
    },
    "batch insert": { store in
      let big = Value.string(String(repeating: "z", count: 300))
      try store.batchInsert(
        into: "Item",
        (0..<200).map { _ in ["title": big] },
        by: BatchAuthor("new author", contextName: "import")
      )
    },
    "batch update": { store in
      try store.batchUpdate("Item", set: ["note": "n"], by: BatchAuthor("app"))
    },
    "batch delete": { store in
      try store.batchDelete("Item", where: .like("title", "a%"), by: BatchAuthor("app"))
    },
    "update by key": { store in
      var keys = (1...8).makeIterator()
      try store.batchUpdate("Item", setting: ["count"], by: BatchAuthor("app")) { row in
        row.set(7, at: 1)
        return keys.next().map { ObjectID(entity: 1, key: Int64($0)) }
      }
    },
    "delete by key": { store in
      var keys = (1...8).makeIterator()
      try store.batchDelete("Item", by: BatchAuthor("app")) {
        keys.next().map { ObjectID(entity: 1, key: Int64($0)) }
      }
    },
    "fetch": { store in
      let page = try store.fetch(HistoryRequest(after: nil))
      #expect(page.transactions.count == 6)
      #expect(page.transactions.last?.changes.count == 2)
    },
    "purge": { store in _ = try store.purge() },
    "join and record": { store in
      let app = try store.join("app", declaring: MemberConfiguration())
      try store.record(app, through: try store.currentToken())
    },
    "consume and forget": { store in
      let index = try store.join("index", kind: .consumer)
      try store.consume(index) { _ in Issue.record("Nothing is new for it.") }
      #expect(try store.forget("index"))
    },
    "purge by size": { store in
      _ = try store.purge(
        when: .whenLargerThan(share: 0),
        retaining: RetentionLimits(age: 1, transactionCount: 1, byteCount: 1)
      )
    },
    "delete history": { store in
      try store.deleteHistory(before: .distantFuture, authors: ["app"])
    },
  ]

  /// What a request only reads can also lack, and a request that writes nothing is never full.
  @Test(arguments: requests.keys.sorted(), [FileFault.Kind.ioError, .full, .busy])
  func `A request that fails changes nothing, and the next try succeeds`(
    _ name: String,
    _ kind: FileFault.Kind
  ) throws {
    let request = try #require(Self.requests[name])
    var failures = 0
    for durability in [StoreConfiguration.Durability.normal, .full] {
      for from in [false, true] {
        failures += try Sweep(durability).run(kind, from: from, request)
      }
    }
    let mayBeNone = kind == .full && name == "fetch"
    #expect(mayBeNone ? failures == 0 : failures >= 4, "\(failures) failures")
  }
}
