import Faults
import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// Makes each call of a request to the file system fail in turn, until the request succeeds.
///
/// `FAILURE_STRIDE` is the distance of the calls that fail; the nightly run sets it to 1 or 2.
@Suite(.inEveryLayout) struct `File system failures in requests` {
  /// A store's content, as another connection sees it.
  private struct Holding: Equatable {
    var rows: [[Value]]
    var keys: [[Int64]]
    var transactions: [String]
    var members: [String]
  }

  /// A request to a store; some are by a member that has not merged the last two transactions.
  private typealias Request = @Sendable (Store, Registration) throws -> Void

  /// A store on the heap that is restored before every attempt.
  private final class Sweep {
    let files = HeapFileSystem(seed: 1)
    let store: Store
    private let observer: Store
    private let member: Registration
    private let image: FileSystemImage

    static let stride =
      ProcessInfo.processInfo.environment["FAILURE_STRIDE"].flatMap { Int($0) } ?? 4

    init(_ durability: StoreConfiguration.Durability) throws {
      var configuration = StoreConfiguration()
      configuration.vfs = files.name
      configuration.busyTimeout = .zero
      configuration.durability = durability
      configuration.layout = LayoutTrait.layout
      configuration.memberLocks = .none
      configuration.clock = { Date(timeIntervalSinceReferenceDate: 1000) }
      let model = try StoreFixture.model()
      store = try Store(path: "sweep", model: model, configuration: configuration)
      observer = try Store(path: "sweep", model: model, configuration: configuration)
      for number in 1...6 {
        try store.add(["a\(number)", "b\(number)"], by: number == 3 ? "widget" : "app")
      }
      member = try store.join("mirror", kind: .consumer)
      for title in ["later", "last"] { try store.add(title) }
      image = files.snapshot()
    }

    private func putBack() throws {
      files.restore(image)
      try store.discardCache()
      try observer.discardCache()
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
        },
        members: try observer.members().map { "\($0.id) \($0.state) \($0.cursor)" }
      )
    }

    /// Runs a request with every failure of a kind, and returns their number.
    func run(
      _ kind: FileFault.Kind,
      from: Bool,
      first: Int,
      _ perform: Request
    ) throws -> Int {
      let member = member
      func request(_ store: Store) throws { try perform(store, member) }
      try putBack()
      let before = try holding()
      try request(store)
      let after = try holding()
      var failures = 0
      for k in Swift.stride(from: first, through: 1_000, by: Self.stride) {
        try putBack()
        files.arm([FileFault(kind, k: k, from: from)])
        let error = attempt(request)
        let fired = files.disarm().contains { $0.failedCalls > 0 }
        try check(error, kind, fired, before: before, after: after)
        guard fired else { return failures }
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
      _ fired: Bool,
      before: Holding,
      after: Holding
    ) throws {
      let now = try holding()
      guard let error else {
        #expect(now == after, "a request that succeeded took effect")
        return
      }
      #expect(fired, "\(error)")
      #expect(now == before || now == after, "\(error): half of it took effect")
      guard case .sqlite(let cause) = error.reason else {
        Issue.record("\(error)")
        return
      }
      let causes: [SQLiteError.Cause] =
        switch kind {
        case .full: [.full]
        case .busy: [.busy]
        case .ioError, .shortRead: [.io, .cannotOpen]
        case .delay, .powerOff: []
        }
      #expect(causes.contains(cause.cause), "\(error)")
    }

    private func checkIntegrity() throws {
      var options = ConnectionOptions()
      options.vfs = files.name
      #expect(try Connection(path: "sweep", options).text("PRAGMA integrity_check") == "ok")
    }
  }

  private static let requests: [String: Request] = [
    "save": { store, _ in
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
    "batch insert": { store, _ in
      let big = Value.string(String(repeating: "z", count: 300))
      try store.batchInsert(
        into: "Item",
        (0..<200).map { _ in ["title": big] },
        by: BatchAuthor("new author", contextName: "import")
      )
    },
    "batch update": { store, _ in
      try store.batchUpdate("Item", set: ["note": "n"], by: BatchAuthor("app"))
    },
    "batch delete": { store, _ in
      try store.batchDelete("Item", where: .like("title", "a%"), by: BatchAuthor("app"))
    },
    "update by key": { store, _ in
      var keys = (1...8).makeIterator()
      try store.batchUpdate("Item", setting: ["count"], by: BatchAuthor("app")) { row in
        row.set(7, at: 1)
        return keys.next().map { ObjectID(entity: 1, key: Int64($0)) }
      }
    },
    "delete by key": { store, _ in
      var keys = (1...8).makeIterator()
      try store.batchDelete("Item", by: BatchAuthor("app")) {
        keys.next().map { ObjectID(entity: 1, key: Int64($0)) }
      }
    },
    "fetch": { store, _ in
      let page = try store.fetch(HistoryRequest(after: nil))
      #expect(page.transactions.count == 8)
      #expect(page.transactions.last?.changes.count == 1)
    },
    "purge": { store, _ in _ = try store.purge() },
    "join": { store, _ in _ = try store.join("app") },
    "record": { store, member in try store.record(member, through: store.currentToken()) },
    "consume": { store, member in _ = try store.consume(member) { _ in } },
    "resync": { store, member in _ = try store.resync(member) },
    "retire": { store, member in try store.retire(member) },
    "purge by size": { store, _ in
      _ = try store.purge(
        when: .whenLargerThan(share: 0),
        retaining: RetentionLimits(age: .seconds(1), transactionCount: 1, byteCount: 1)
      )
    },
    "query": { store, _ in
      let count = try store.query("SELECT count(*) FROM history_changes")
      #expect(count.rows == [[.int(14)]])
    },
    "delete history": { store, _ in
      try store.deleteHistory(before: .distantFuture, authors: ["app"])
    },
  ]

  /// Read-only requests can fail too, except with a full disk.
  @Test(arguments: [FileFault.Kind.ioError, .full, .busy])
  func `A failed request changes no data, and the next attempt succeeds`(
    _ kind: FileFault.Kind
  ) throws {
    var total = 0
    for (name, request) in Self.requests.sorted(by: { $0.key < $1.key }) {
      var failures = 0
      // The four sweeps of a request start at different calls, so that a stride of four leaves none out.
      var first = 0
      for durability in [StoreConfiguration.Durability.normal, .full] {
        for from in [false, true] {
          first = first % Sweep.stride + 1
          failures += try Sweep(durability).run(kind, from: from, first: first, request)
        }
      }
      let mayBeNone = kind == .full && ["fetch", "query"].contains(name)
      #expect(mayBeNone ? failures == 0 : failures >= 2, "\(name): \(failures) failures")
      total += failures
    }
    print("\(total) failures (\(kind)) of \(Self.requests.count) requests, \(LayoutTrait.layout)")
  }
}
