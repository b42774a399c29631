import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@Suite(.blocksItsThread) struct WatchEndTests {
  #if os(Linux)
  @Test func `Ending a watch closes its descriptors and ends its thread`() async {
    // In a separate process, because other tests open files as well.
    await #expect(processExitsWith: .success) {
      let fixture = try StoreFixture.withoutPoll()
      try fixture.open().add("a")
      let descriptors = try Self.count("/proc/self/fd")
      let threads = try Self.count("/proc/self/task")
      for _ in 1...20 { try Self.useWatches(fixture) }
      // A watch that ends while its closure runs does not wait for its thread.
      let deadline = ContinuousClock.now + .seconds(20)
      while try Self.count("/proc/self/fd") > descriptors
        || Self.count("/proc/self/task") > threads
      {
        try #require(
          ContinuousClock.now < deadline,
          "\(descriptors) descriptors and \(threads) threads became more"
        )
        await Task.yield()
      }
    }
  }

  private static func useWatches(_ fixture: StoreFixture) throws {
    let store = try fixture.open()
    let reported = ReportedTokens()
    let watches = [try store.watch(reported.note), try store.watch(reported.note)]
    let number = try store.add("b")
    reported.wait(for: number)
    watches[0].cancel()
    let changes = try store.changes
    withExtendedLifetime((watches, changes)) {}
  }

  private static func count(_ folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).count
  }

  @Test func `Without file descriptors a watch is refused with a message, without other effects`()
    async
  {
    await #expect(processExitsWith: .success) {
      let fixture = try StoreFixture.withoutPoll()
      let store = try fixture.open()
      try store.add("a")
      var before = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
      var none = rlimit(rlim_cur: 0, rlim_max: before.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      let error = #expect(throws: HistoryError.self) { try store.watch { _ in } }
      try store.add("b")
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
      try #require(error?.description.contains("cannot be watched: ") == true)
      let reported = ReportedTokens()
      let watch = try store.watch(reported.note)
      try store.add("c")
      reported.wait(for: 3)
      withExtendedLifetime(watch) {}
    }
  }
  #endif

  @Test func `A store is freed when its last watch ends, whatever the closure retains`() throws {
    let fixture = try StoreFixture.withoutPoll()
    weak var freed: Store?
    try {
      let store = try fixture.open()
      freed = store
      let watch = try store.watch { _ in _ = store.path }
      let changes = try store.changes
      try store.add("a")
      withExtendedLifetime((watch, changes)) {}
    }()
    #expect(freed == nil)
  }

  @Test func `A cancelled watch releases its store`() throws {
    let fixture = try StoreFixture.withoutPoll()
    weak var freed: Store?
    let watch = try {
      let store = try fixture.open()
      freed = store
      return try store.watch { _ in }
    }()
    #expect(freed != nil)
    watch.cancel()
    watch.cancel()
    #expect(freed == nil)
  }

  @Test func `A closure may end its own watch`() throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let reported = ReportedTokens()
    let later = ReportedTokens()
    let box = WatchBox()
    box.watch = try store.watch { token in
      box.watch = nil
      reported.note(token)
    }
    try store.add("a")
    reported.wait(for: 1)
    let watch = try store.watch(later.note)
    try store.add("b")
    later.wait(for: 2)
    #expect(reported.numbers == [1])
    withExtendedLifetime(watch) {}
  }

  @Test func `Ending a watch does not wait for a closure that waits for the caller`() throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let reported = ReportedTokens()
    let hasEnded = DispatchSemaphore(value: 0)
    let watch = try store.watch { token in
      reported.note(token)
      hasEnded.wait()
      reported.note(token)
    }
    try store.add("a")
    reported.wait(for: 1)
    watch.cancel()
    hasEnded.signal()
  }

  @Test func `Cancelling a task ends its loop`() async throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let changes = try store.changes
    let task = Task {
      var numbers: [Int64] = []
      for await token in changes { numbers.append(token.number) }
      return numbers
    }
    task.cancel()
    #expect(await task.value.count <= 1)
  }
}

/// Retains a watch that its own closure releases; the first call comes after it was set.
private final class WatchBox: @unchecked Sendable {
  private let lock = NSLock()
  private var held: ChangeWatch?

  var watch: ChangeWatch? {
    get { lock.withLock { held } }
    set {
      let old = lock.withLock { () -> ChangeWatch? in
        defer { held = newValue }
        return held
      }
      withExtendedLifetime(old) {}
    }
  }
}
