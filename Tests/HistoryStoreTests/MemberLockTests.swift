import Faults
import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@Suite struct `Locks of running members` {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    try store.add("a")
  }

  @Test func `A second launch is refused by name on any connection and writes no row`()
    throws
  {
    let first = try store.join("app")
    #expect(first.isHeld)
    let expected = HistoryError.inUse("app", processID: getpid())
    #expect(throws: expected) { try store.join("app") }
    #expect(throws: expected) { try fixture.open().join("app", resyncingIfLost: true) }
    #expect(throws: expected) { try store.forget("app") }
    #expect(expected.description.contains("in process \(getpid())"))
    #expect(try store.members().map(\.epoch) == [first.epoch])
    try store.record(first, through: store.currentToken())
    _ = try store.join("widget")
  }

  @Test
  func `A deregistered member may launch again and leaves no lock file`()
    throws
  {
    let epoch = try store.join("app").epoch
    do {
      let again = try store.join("app")
      #expect(again.epoch == epoch + 1 && !again.isNew)
      #expect(try fixture.folder.names().contains("store-member-app"))
      try store.record(again, through: again.cursor)
    }
    #expect(try fixture.open().join("app").epoch == epoch + 2)
    let names = try fixture.folder.names()
    #expect(!names.contains { $0.contains("-member-") })
  }

  @Test func `A resync and a takeover keep the member running`() throws {
    var registration = try store.join("app")
    registration = try store.resync(registration)
    #expect(throws: HistoryError.self) { try store.join("app") }
    let next = try store.join("app", takingOver: registration)
    #expect(next.isHeld && next.epoch == registration.epoch + 1)
    #expect(throws: HistoryError.superseded("app")) {
      try store.record(registration, through: registration.cursor)
    }
    #expect(throws: HistoryError.inUse("app", processID: getpid())) {
      try store.join("app", takingOver: try store.join("widget"))
    }
  }

  @Test func `Another process is refused while a member runs`() async throws {
    let registration = try store.join("app")
    let (path, process) = (fixture.path, getpid())
    await #expect(processExitsWith: .success) {
      [path = path as String, process = process as Int32] in
      #expect(throws: HistoryError.inUse("app", processID: process)) {
        try Store(path: path).join("app")
      }
    }
    try withExtendedLifetime(registration) { try store.retire(registration) }
  }

  @Test func `A killed member is not running and may be relaunched`()
    async throws
  {
    let path = fixture.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let registration = try Store(path: path).join("app")
      withExtendedLifetime(registration) { _ = kill(getpid(), SIGKILL) }
    }
    #expect(try fixture.folder.names().contains("store-member-app"))
    let registration = try store.join("app")
    #expect(registration.isHeld && !registration.isNew && registration.epoch == 2)
  }

  @Test func `Lock names are distinct on every file system`() throws {
    let long = String(repeating: "long", count: 100)
    let names = ["app", "App", "APP", "a/b", "a%2fb", "..", "ä", long, long + "er", " ", "a.b-c_d"]
    let running = try names.map { try store.join(MemberID($0)) }
    #expect(running.filter(\.isHeld).count == names.count)
    let files = try fixture.folder.names().filter { $0.contains("-member-") }
    #expect(Set(files.map { $0.lowercased() }).count == names.count)
    for name in names {
      #expect(throws: HistoryError.inUse(MemberID(name), processID: getpid())) {
        try store.join(MemberID(name))
      }
    }
  }

  @Test func `Without lock files the later launch supersedes the earlier one`() throws {
    let files = HeapFileSystem(seed: 1)
    var configuration = fixture.configuration
    configuration.vfs = files.name
    let model = try StoreFixture.model()
    let heap = try Store(path: "heap", model: model, configuration: configuration)
    try expectSuperseding(heap)
    var careless = fixture
    careless.configuration.memberLocks = .none
    try expectSuperseding(try careless.open())
  }

  private func expectSuperseding(_ store: Store) throws {
    let first = try store.join("app")
    let second = try store.join("app")
    #expect(!first.isHeld && !second.isHeld)
    #expect(throws: HistoryError.superseded("app")) {
      try store.record(first, through: first.cursor)
    }
    #expect(try store.forget("app"))
  }

  @Test func `An in-memory lock table detects a running simulated process`() throws {
    var fixture = fixture
    fixture.configuration.memberLocks = .inMemory()
    let store = try fixture.open()
    let expected = HistoryError.inUse("app", processID: nil)
    #expect(expected.description.contains("is already running; nothing"))
    let kept: Registration
    do {
      let first = try store.join("app")
      #expect(throws: expected) { try fixture.open().join("app") }
      // A snapshot of a process holds no lock until it is restored.
      kept = first.released
      #expect(kept == first && !kept.isHeld)
      #expect(throws: expected) { try store.holding(kept) }
      try store.record(first, through: first.cursor)
    }
    let back = try fixture.open().holding(kept)
    #expect(back.isHeld)
    #expect(throws: expected) { try store.join("app") }
    try store.record(back, through: back.cursor)
  }

  @Test func `A refused launch holds no lock`() throws {
    _ = try store.join("app")
    try fixture.execute("UPDATE history_member SET state = 2")
    #expect(throws: HistoryError.lost("app")) { try store.join("app") }
    #expect(try store.join("app", resyncingIfLost: true).isHeld)
  }

  @Test func `A read-only or untracked store takes no lock and creates no file`()
    throws
  {
    let reading = try Store(reading: fixture.path)
    let expected = HistoryError.openForReading(path: fixture.path)
    #expect(throws: expected) { try reading.join("app") }
    #expect(throws: expected) { try reading.forget("app") }
    var untracked = try StoreFixture()
    untracked.configuration.tracksHistory = false
    untracked.configuration.memberLocks = MemberLocks { member, _ in
      Issue.record("\(member) was asked for.")
      return .unknown
    }
    let store = try untracked.open()
    #expect(throws: HistoryError.untracked(path: untracked.path)) { try store.join("app") }
    #expect(throws: HistoryError.untracked(path: untracked.path)) { try store.forget("app") }
    let names = try fixture.folder.names() + untracked.folder.names()
    #expect(!names.contains { $0.contains("-member-") })
  }

  @Test func `Destroying a store also removes the lock files of killed processes`() async throws {
    let fixture = try StoreFixture()
    try fixture.open().add("a")
    let other = fixture.folder.path("store2-member-app")
    #expect(FileManager.default.createFile(atPath: other, contents: nil))
    for name in ["app", "widget"] {
      let left = fixture.path + "-member-" + name
      #expect(FileManager.default.createFile(atPath: left, contents: nil))
    }
    try Store.destroy(path: fixture.path)
    #expect(try fixture.folder.names() == ["store2-member-app"])
  }
}
