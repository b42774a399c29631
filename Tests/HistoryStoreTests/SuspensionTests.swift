import Dispatch
import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Synchronization
import TestSupport
import Testing

@Suite(.inEveryLayout, .blocksItsThread) struct `A suspended store` {
  private let fixture: StoreFixture
  private let store: Store

  init() throws {
    fixture = try StoreFixture.withoutPoll()
    store = try fixture.open()
    try store.add("a")
  }

  /// Whether any connection has the file open: only then does the journal mode stay.
  private func isOpen() throws -> Bool {
    var options = ConnectionOptions()
    options.busyTimeoutMs = 0
    let probe = PlainProgram(try Connection(path: fixture.path, options))
    do {
      return try probe.text("PRAGMA journal_mode=DELETE") != "delete"
    } catch let error as SQLiteError where error.cause == .busy {
      return true
    }
  }

  /// Runs a request on a thread of its own.
  private func started<Result: Sendable>(
    _ request: @escaping @Sendable () throws -> Result
  ) -> Task<Result, any Error> {
    Task { try await onOwnThread { try request() } }
  }

  @Test func `It has closed its file, and goes on with the same content`() throws {
    #expect(try isOpen())
    try store.suspend()
    #expect(store.isSuspended)
    #expect(try !isOpen())
    try store.resume()
    #expect(!store.isSuspended)
    #expect(try store.add("b") == 2)
    #expect(try store.titles() == ["a", "b"])
    #expect(try fixture.open().numbers() == [1, 2])
  }

  @Test(.needs(.processFiles)) func `The process holds no lock on any of its files`() throws {
    let registration = try store.join("app")
    let watch = try store.watch { _ in }
    let locked = ["store", "store-member-app", "store-shm"]
    let before = try HeldLocks.names(in: fixture.folder)
    #expect(before == locked)
    try store.suspend()
    let during = try HeldLocks.names(in: fixture.folder)
    #expect(during == [])
    #expect(!registration.isHeld)
    try store.resume()
    let after = try HeldLocks.names(in: fixture.folder)
    #expect(after == locked)
    #expect(registration.isHeld)
    withExtendedLifetime(watch) {}
  }

  @Test func `Its calls fail with an error that has a suggestion`() throws {
    let token = try store.currentToken()
    try store.suspend()
    let expected = HistoryError.suspended(path: fixture.path)
    #expect(expected.code == .suspended && expected.suggestion?.contains("Resume") == true)
    #expect(throws: expected) { try store.add("b") }
    #expect(throws: expected) { try store.numbers() }
    #expect(throws: expected) { try store.currentToken() }
    #expect(throws: expected) { try store.watch { _ in } }
    #expect(throws: expected) { try store.join("app") }
    #expect(throws: expected) { try store.purge() }
    try store.suspend()
    try store.resume()
    try store.resume()
    #expect(try store.currentToken() == token)
  }

  @Test func `Its calls wait when they are asked to`() async throws {
    try store.suspend(calls: .wait)
    let starts = DispatchSemaphore(value: 0)
    let added = started { [store] in
      starts.signal()
      return try store.add("b")
    }
    starts.wait()
    // The call cannot return before, whether it waits already or not.
    try store.resume()
    #expect(try await added.value == 2)
  }

  @Test func `A request in progress is finished within the limit`() async throws {
    let starts = DispatchSemaphore(value: 0)
    let added = started { [store] in
      var count = 0
      _ = try store.batchInsert(into: "Item", by: BatchAuthor("app")) { row in
        starts.signal()
        while !store.isSuspended {}
        row.set("b", at: 0)
        count += 1
        return count < 3
      }
    }
    starts.wait()
    try store.suspend(within: .seconds(60))
    try await added.value
    try store.resume()
    #expect(try store.titles() == ["a", "b", "b"])
    #expect(try store.numbers() == [1, 2])
  }

  @Test func `A longer request is interrupted and rolled back`() async throws {
    let starts = DispatchSemaphore(value: 0)
    let added = started { [store] in
      try store.batchInsert(into: "Item", by: BatchAuthor("app")) { row in
        starts.signal()
        row.set("b", at: 0)
        return true
      }
    }
    starts.wait()
    try store.suspend(within: .zero)
    await #expect(throws: HistoryError.suspended(path: fixture.path)) { _ = try await added.value }
    #expect(try !isOpen())
    try store.resume()
    #expect(try store.titles() == ["a"])
    #expect(try store.numbers() == [1])
    #expect(try store.add("c") == 2)
  }

  @Test func `A request that waits for another's lock ends`() async throws {
    var patient = fixture
    patient.configuration.busyTimeout = .seconds(3600)
    let waiting = try patient.open()
    let other = PlainProgram(try fixture.connection())
    try other.execute("BEGIN IMMEDIATE")
    let starts = DispatchSemaphore(value: 0)
    let added = started {
      starts.signal()
      return try waiting.add("b")
    }
    starts.wait()
    try waiting.suspend(within: .zero)
    await #expect(throws: HistoryError.suspended(path: fixture.path)) { _ = try await added.value }
    try other.execute("COMMIT")
    try waiting.resume()
    #expect(try waiting.add("b") == 2)
  }

  @Test func `A suspension inside a request is refused`() throws {
    _ = try store.batchInsert(into: "Item", by: BatchAuthor("app")) { _ in
      #expect(throws: HistoryError.insideRequest(path: fixture.path)) { try store.suspend() }
      return false
    }
    #expect(!store.isSuspended)
    #expect(try store.add("b") == 2)
  }

  @Test func `Two threads that suspend, one inside a request, do not wait for each other`()
    async throws
  {
    let starts = DispatchSemaphore(value: 0)
    let added = started { [store] in
      try store.batchInsert(into: "Item", by: BatchAuthor("app")) { _ in
        starts.signal()
        while !store.isSuspended {}
        #expect { try store.suspend() } throws: { ($0 as? HistoryError)?.code == .insideRequest }
        #expect { try store.resume() } throws: { ($0 as? HistoryError)?.code == .insideRequest }
        return false
      }
    }
    starts.wait()
    try store.suspend(within: .seconds(60))
    _ = try await added.value
    #expect(store.isSuspended)
    try store.resume()
    #expect(try store.numbers() == [1])
  }

  @Test func `A member that was launched meanwhile supersedes the registration`() throws {
    let registration = try store.join("app")
    try store.suspend()
    do {
      let other = try fixture.open()
      let second = try other.join("app")
      #expect(second.epoch == registration.epoch + 1)
      try store.resume()
      #expect(!registration.isHeld && second.isHeld)
    }
    #expect(throws: HistoryError.superseded("app")) {
      try store.record(registration, through: store.currentToken())
    }
  }

  @Test func `A member that no other process launched continues`() throws {
    let registration = try store.join("app")
    try store.suspend()
    try fixture.open().add("b")
    try store.resume()
    #expect(throws: HistoryError.inUse("app", processID: getpid())) {
      try fixture.open().join("app")
    }
    try store.record(registration, through: store.currentToken())
  }

  @Test func `A watch rests, and reports the newest position afterwards`() throws {
    let reported = ReportedTokens()
    let watch = try store.watch(reported.note)
    try store.suspend()
    let other = try fixture.open()
    try other.add("b")
    try other.add("c")
    #expect(reported.all.isEmpty)
    try store.resume()
    reported.wait(for: 3)
    #expect(reported.numbers == [3])
    try other.add("d")
    reported.wait(for: 4)
    #expect(reported.numbers == [3, 4])
    withExtendedLifetime(watch) {}
  }

  @Test func `A suspended reader does not let the log grow`() throws {
    var small = fixture
    small.configuration.checkpointFrames = 50
    let other = try small.open()
    for number in 0..<10 { try other.add("\(number)") }
    var reader = try store.reader(HistoryRequest(after: nil, transactionCountMax: 3))
    _ = try reader.next()
    try store.suspend()
    for number in 0..<300 { try other.add("\(number)") }
    #expect(try other.logSize().frames < 150)
    try store.resume()
    #expect(try reader.next()?.transactions.first?.number == 4)
  }

  @Test func `A store whose file was replaced stays suspended`() throws {
    let copy = try StoreFixture()
    try copy.open().add("other")
    try store.suspend()
    try Store.replace(path: fixture.path, with: copy.path)
    #expect(throws: HistoryError.replaced(path: fixture.path)) { try store.resume() }
    #expect(store.isSuspended)
    try FileManager.default.removeItem(atPath: fixture.path)
    #expect { try store.resume() } throws: { ($0 as? HistoryError)?.code == .sqlite }
    #expect(try !fixture.folder.names().contains("store"))
  }

  @Test func `A newer model and a new handling of plain SQL are noticed`() throws {
    let fixture = try StoreFixture()
    let old = try Store(
      path: fixture.path,
      model: ModelVersions.first,
      configuration: fixture.configuration
    )
    try old.suspend()
    var configuration = fixture.configuration
    configuration.foreignWrites = .captured
    let new = try Store(
      path: fixture.path,
      model: ModelVersions.second,
      configuration: configuration
    )
    try fixture.execute("INSERT INTO Item(title, rating) VALUES('milk', 1)")
    try old.resume()
    #expect(try old.history().last == "#2 insert Item/1")
    #expect(try old.modelSkew()?.fileVersion == 2)
    try old.insert("Item", ["title": "eggs"])
    #expect(try new.values(of: ObjectID(entity: 1, key: 2))["rating"] == 5)
  }

  @Test func `A file that is open for reading only fails its calls as well`() throws {
    let reader = try Store(reading: fixture.path)
    try reader.suspend()
    #expect(throws: HistoryError.suspended(path: fixture.path)) { try reader.currentToken() }
    try reader.resume()
    #expect(try reader.numbers() == [1])
  }

  @Test func `Access that is denied while the device is locked has its own code`() {
    let error = HistoryError.sqlite(SQLiteError(code: 23, message: "denied", sql: "COMMIT"))
    #expect(error.code == .unavailable && error.sqliteCode == 23)
    #expect(error.suggestion?.contains("unlocked") == true)
  }
}

/// The locks that this process holds, as the kernel lists them for its open files.
enum HeldLocks {
  /// Returns the names of the locked files in a folder, sorted.
  ///
  /// See https://man7.org/linux/man-pages/man5/proc_pid_fdinfo.5.html. The list of all locks in
  /// `/proc/locks` is not used: it misses lines while other locks change.
  static func names(in folder: TemporaryFolder) throws -> [String] {
    var names: Set<String> = []
    for descriptor in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      let file = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(descriptor)"
      )
      guard let file, file.hasPrefix(folder.path("") + "/") else { continue }
      let facts = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
      if facts.contains("lock:") { names.insert(String(file.dropFirst(folder.path("").count + 1))) }
    }
    return names.sorted()
  }
}
