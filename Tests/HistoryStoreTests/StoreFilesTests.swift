import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite(.inEveryLayout) struct `The files of a store` {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func mode(_ path: String) -> UInt32? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : nil
  }

  private var isThere: Bool { mode(fixture.path) != nil }

  @Test func `New files are readable by their owner only`() throws {
    let store = try fixture.open()
    try store.add(["a"])
    for ending in ["", "-wal", "-shm"] { #expect(mode(fixture.path + ending) == 0o600) }
  }

  @Test func `Files next to the store are readable by their owner only`() throws {
    let store = try fixture.open()
    let member = try store.join("app")
    let watch = try store.watch { _ in }
    try store.add(["a"])
    let names = try fixture.folder.names()
    #expect(names.count == 5, "\(names)")
    for name in names { #expect(mode(fixture.folder.path(name)) == 0o600, "\(name)") }
    watch.cancel()
    try store.retire(member)
  }

  @Test(arguments: [
    "a'b\"c", "a; DROP TABLE history_member; --", "file:a?mode=memory", "a?immutable=1&vfs=none",
    "a%00b%2f", "a#b", "-wal", "*", "ü \n", "$(touch x)",
  ])
  func `Any path is a file name, never a URI`(_ name: String) throws {
    let path = fixture.folder.path(name)
    let copy = fixture.folder.path("copy of \(name)")
    do {
      let store = try Store(
        path: path,
        model: StoreFixture.model(),
        configuration: fixture.configuration
      )
      _ = try store.join("../../app/'; --", author: "'; DROP TABLE history_member; --")
      try store.add("a", by: "'; DELETE FROM history_transaction; --")
    }
    #expect(try Store(reading: path).count(HistoryRequest(after: nil)) == 1)
    try Store.replace(path: copy, with: path)
    #expect(try Store(reading: copy).count(HistoryRequest(after: nil)) == 1)
    for made in try fixture.folder.names() {
      #expect(made.hasPrefix(name) || made.hasPrefix("copy of \(name)"), "\(made)")
    }
    try Store.destroy(path: path)
    try Store.destroy(path: copy)
    #expect(try fixture.folder.names() == [])
  }

  @Test func `An existing file keeps its permissions`() throws {
    do { _ = try fixture.open() }
    #expect(chmod(fixture.path, 0o640) == 0)
    try fixture.open().add(["a"])
    #expect(mode(fixture.path) == 0o640)
  }

  @Test func `Opening a file that cannot be created reports SQLite's reason`() throws {
    let path = fixture.folder.path("none/store")
    let error = #expect(throws: HistoryError.self) {
      try Store(path: path, model: StoreFixture.model())
    }
    guard case .sqlite(let cause) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.cause == .cannotOpen)
  }

  @Test func `Destroying a store leaves no files, and its tokens match no other store`() throws {
    var token: HistoryToken?
    do {
      let store = try fixture.open()
      try store.add(["a"])
      token = try store.currentToken()
      #expect(throws: HistoryError.storeInUse(path: fixture.path)) {
        try Store.destroy(path: fixture.path)
      }
      #expect(try store.titles() == ["a"])
      try store.add(["b"])
    }
    try Store.destroy(path: fixture.path)
    for ending in ["", "-wal", "-shm", "-journal"] { #expect(mode(fixture.path + ending) == nil) }
    let made = try fixture.open()
    let old = try #require(token)
    #expect(try made.titles() == [])
    #expect(throws: HistoryError.otherStore(token: old, store: made.id)) {
      try made.fetch(HistoryRequest(after: old))
    }
  }

  @Test func `Only stores can be destroyed or replaced`() throws {
    let foreign = fixture.folder.path("foreign")
    do { try Connection(path: foreign).execute("CREATE TABLE t(a)") }
    #expect(throws: HistoryError.foreignFile(path: foreign)) { try Store.destroy(path: foreign) }
    do { _ = try fixture.open() }
    #expect(throws: HistoryError.foreignFile(path: foreign)) {
      try Store.replace(path: foreign, with: fixture.path)
    }
    #expect(throws: HistoryError.foreignFile(path: foreign)) {
      try Store.replace(path: fixture.path, with: foreign)
    }
    #expect(throws: HistoryError.self) { try Store.destroy(path: fixture.folder.path("none")) }
    #expect(throws: HistoryError.self) {
      try Store.replace(path: fixture.path, with: fixture.folder.path("none"))
    }
    #expect(mode(fixture.folder.path("none")) == nil && isThere && mode(foreign) != nil)
    #expect(mode(fixture.path + "-replacement") == nil && mode(foreign + "-replacement") == nil)
  }

  @Test func `A replaced store has the source's data and history, and invalidates all tokens`()
    throws
  {
    let backup = fixture.folder.path("backup")
    var tokens: [HistoryToken] = []
    do {
      let store = try fixture.open()
      try store.add(["a"])
      tokens.append(try store.currentToken())
      // The source is in use, and its newest transaction is only in its log.
      try Store.replace(path: backup, with: fixture.path)
      try store.add(["b"])
      tokens.append(try store.currentToken())
      #expect(throws: HistoryError.storeInUse(path: fixture.path)) {
        try Store.replace(path: fixture.path, with: backup)
      }
      #expect(try store.titles() == ["a", "b"])
    }
    try Store.replace(path: fixture.path, with: backup)
    #expect(mode(fixture.path) == 0o600)
    #expect(mode(fixture.path + "-replacement") == nil)
    let store = try fixture.open()
    #expect(try store.titles() == ["a"] && store.numbers() == [1])
    for token in tokens {
      #expect(throws: HistoryError.otherStore(token: token, store: store.id)) {
        try store.fetch(HistoryRequest(after: token))
      }
    }
    #expect(try store.add("c", by: "app") == 2)
    #expect(try fixture.connection().text("PRAGMA integrity_check") == "ok")
  }
}
