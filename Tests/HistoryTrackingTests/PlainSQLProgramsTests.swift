import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Synchronization
import TestSupport
import Testing

/// Programs that know nothing of the library, and members, which write to one file at the same time.
///
/// `PLAIN_SQL_LIVES` is the number of processes of each program and member, one after another.
@Suite(.inEveryLayout, .blocksItsThread)
struct `Programs with plain SQL beside members` {
  private static let lifeCount =
    ProcessInfo.processInfo.environment["PLAIN_SQL_LIVES"].flatMap { Int($0) } ?? 2

  @Test(.needs(.sqlPrograms))
  func `Programs and members that are killed lose no change, and all views are equal`() async throws
  {
    let shared = try SharedStore()
    let folder = shared.folder
    let store = try shared.open { $0.foreignWrites = .captured }
    let follower = try Follower(store)
    let written = Written()
    try await withThrowingTaskGroup { group in
      for program in PlainSQLProgram.Kind.allCases {
        group.addTask {
          for life in 1...Self.lifeCount {
            var random = SeededRandom(seed: UInt64(life * 10 + program.number))
            let program = try PlainSQLProgram(program, shared.path)
            written.add(try program.write(life, Int(random.next() % 40) + 10))
          }
        }
      }
      for name in ["app", "widget"] {
        group.addTask {
          for life in 1...Self.lifeCount {
            await member(shared.path, folder.path("\(name)-\(life)"), name, life)
          }
        }
      }
      async let following: Void = follower.follow()
      try await group.waitForAll()
      follower.end()
      try await following
    }
    let rows = try objects(ObjectContext(store: store, author: nil, name: "rows"))
    #expect(follower.objects == rows)
    for program in written.all { #expect(program.matches(rows), "\(program.prefix)") }
    for name in ["app", "widget"] {
      for life in 1...Self.lifeCount {
        let log = try String(contentsOfFile: folder.path("\(name)-\(life)"), encoding: .utf8)
        for title in log.split(separator: "\n") { #expect(rows[String(title)] != nil, "\(title)") }
      }
    }
    #expect(try explained(by: store) == Set(rows.keys))
    #expect(try store.verify().filter(\.isWrong).isEmpty)
  }

  /// Runs a member in processes of its own, which are killed in the middle of a write.
  private func member(_ path: String, _ log: String, _ name: String, _ life: Int) async {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, log = log as String, name = name as String, life = life as Int] in
      let countdown = Countdown(100 + 37 * life)
      var configuration = StoreConfiguration()
      configuration.busyTimeout = .seconds(60)
      configuration.actionObserver = StoreActionObserver(
        begins: { _ in countdown.step() },
        ends: { _ in countdown.step() }
      )
      configuration.actionObserver?.writes = { _ in countdown.step() }
      configuration.actionObserver?.signals = { _ in countdown.step() }
      let store = try Store(path: path, configuration: configuration)
      let context = ObjectContext(store: store, author: name, name: "view")
      let session = try MemberSession(
        MemberID(name),
        store: store,
        contexts: [context],
        author: name
      )
      try Data().write(to: URL(fileURLWithPath: log))
      let file = try #require(FileHandle(forWritingAtPath: log))
      for number in 1... {
        let title = "\(name)-\(life)-\(number)"
        try context.insert("Item", ["title": .string(title), "count": .int(Int64(number))])
        try context.save()
        try file.write(contentsOf: Data("\(title)\n".utf8))
        if number.isMultiple(of: 3) { _ = try session.pass() }
      }
    }
  }

  /// Returns the titles of the objects that history says exist, each of which was inserted once.
  private func explained(by store: Store) throws -> Set<String> {
    var objects: Set<ObjectID> = []
    var request = HistoryRequest(after: nil)
    var last: Int64 = 0
    while true {
      let page = try store.fetch(request)
      for transaction in page.transactions {
        #expect(transaction.number.rawValue == last + 1)
        last = transaction.number.rawValue
        for change in transaction.changes {
          switch change.type {
          case .insert: #expect(objects.insert(change.objectID).inserted, "\(change)")
          case .update: #expect(objects.contains(change.objectID), "\(change)")
          case .delete: #expect(objects.remove(change.objectID) != nil, "\(change)")
          }
        }
      }
      guard page.hasMore else { break }
      request = request.next(after: page)
    }
    let context = ObjectContext(store: store, author: nil, name: "titles")
    return Set(try objects.map { title(try context.object($0)?["title"]) })
  }
}

/// A countdown after which the process kills itself.
private final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  func step() {
    if left.subtract(1, ordering: .relaxed).newValue == 0 { kill(getpid(), SIGKILL) }
  }
}

/// Returns the text of a title.
private func title(_ value: Value?) -> String {
  if case .string(let text)? = value { text } else { "missing" }
}

/// Returns the counts of a context's items by title.
private func objects(_ context: ObjectContext) throws -> [String: Value] {
  var objects: [String: Value] = [:]
  for item in try context.objects("Item") {
    objects[title(try item["title"])] = try item["count"] ?? .null
  }
  return objects
}

/// A member that passes all the time, and is never killed.
private final class Follower: @unchecked Sendable {
  private let session: MemberSession
  private let context: ObjectContext
  private let isOver = Atomic(false)

  init(_ store: Store) throws {
    context = ObjectContext(store: store, author: "follower", name: "view")
    session = try MemberSession(
      "follower",
      store: store,
      contexts: [context],
      author: "follower"
    )
  }

  func end() { isOver.store(true, ordering: .releasing) }

  /// Passes until ``end()``, and once more.
  func follow() throws {
    var isLast = false
    while !isLast {
      isLast = isOver.load(ordering: .acquiring)
      _ = try session.pass()
    }
  }

  /// The counts of the view's items by title.
  var objects: [String: Value] {
    var objects: [String: Value] = [:]
    context.forEachRegistered { _, values in
      objects[title(values.first)] = values.last ?? .null
    }
    return objects
  }
}

/// The writes of all programs with plain SQL.
private final class Written: Sendable {
  private let writes = Mutex<[PlainSQLProgram.Writes]>([])

  func add(_ some: PlainSQLProgram.Writes) { writes.withLock { $0.append(some) } }
  var all: [PlainSQLProgram.Writes] { writes.withLock { $0 } }
}
