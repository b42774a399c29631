import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Synchronization
import TestSupport
import Testing

@Suite(.inEveryLayout) struct OpeningTests {
  @Test func `A missing store is created in WAL mode with its schema`()
    throws
  {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    #expect(try store.currentToken() == .beginning(of: store.id))
    #expect(store.model == (try StoreFixture.model()))
    let connection = try fixture.connection()
    #expect(try connection.text("PRAGMA journal_mode") == "wal")
    #expect(try connection.integer("PRAGMA page_size") == 4096)
    #expect(try connection.integer("PRAGMA application_id") == 0x5048_4C73)
    #expect(try connection.integer("PRAGMA user_version") == 1)
    #expect(try fixture.folder.byteCount("store") > 4096)
  }

  @Test func `A closed store is unchanged and leaves its file and the signal file`()
    throws
  {
    let fixture = try StoreFixture()
    let id = try {
      let store = try fixture.open()
      try store.add("a")
      return store.id
    }()
    #expect(try fixture.folder.names() == ["store", "store-signal"])
    let again = try fixture.open()
    #expect(again.id == id)
    #expect(try again.numbers() == [1])
    #expect(try again.titles() == ["a"])
    #expect(try again.add("b") == 2)
  }

  @Test func `A store opens with its stored model`() throws {
    let fixture = try StoreFixture()
    try fixture.open().add("a")
    let store = try Store(path: fixture.path, configuration: fixture.configuration)
    #expect(store.model == (try StoreFixture.model()))
    #expect(try store.titles() == ["a"])
  }

  @Test func `Without a model no store is created`() throws {
    let fixture = try StoreFixture()
    let error = try #require(throws: HistoryError.self) { try Store(path: fixture.path) }
    guard case .sqlite(let cause) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.cause == .cannotOpen)
    #expect(try fixture.folder.names() == [])
  }

  @Test func `An empty file becomes a store`() throws {
    let fixture = try StoreFixture()
    try Data().write(to: fixture.folder.url.appendingPathComponent("store"))
    #expect(throws: HistoryError.foreignFile(path: fixture.path)) { try Store(path: fixture.path) }
    #expect(try fixture.folder.contents() == ["store": Data()])
    #expect(try fixture.open().add("a") == 1)
  }

  @Test func `A place that cannot store a log is refused`() throws {
    let fixture = try StoreFixture()
    let error = try #require(throws: HistoryError.self) {
      try Store(path: ":memory:", model: StoreFixture.model(), configuration: fixture.configuration)
    }
    #expect(error.description.contains("write-ahead log"))
  }

  @Test func `A store whose log was switched off gets WAL mode again`() throws {
    let fixture = try StoreFixture()
    try fixture.open().add("a")
    #expect(try fixture.connection().text("PRAGMA journal_mode=DELETE") == "delete")
    let store = try fixture.open()
    #expect(try fixture.connection().text("PRAGMA journal_mode") == "wal")
    #expect(try store.titles() == ["a"])
  }

  @Test func `The file decides the timestamp policy`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    try fixture.open().add("a")
    fixture.configuration.timestamps = .monotone
    let store = try fixture.open()
    fixture.clock.now = 5
    try store.add("b")
    #expect(
      try store.fetch(HistoryRequest(after: nil)).transactions.last?.timestamp == fixture.clock.date
    )
  }

  @Test func `A store that another process created meanwhile is opened`() throws {
    let fixture = try StoreFixture()
    let made = Mutex<Store?>(nil)
    var late = fixture.configuration
    late.random = {
      // The first random number becomes the new store's identity.
      do {
        if made.withLock({ $0 }) == nil {
          let store = try fixture.open()
          try store.add("a")
          made.withLock { $0 = store }
        }
      } catch {
        Issue.record(error)
      }
      return 7
    }
    let store = try Store(path: fixture.path, model: StoreFixture.model(), configuration: late)
    #expect(store.id == made.withLock { $0?.id })
    #expect(try store.titles() == ["a"])
    #expect(try store.add("b") == 2)
  }

  @Test func `A model is restored from the text in a file`() throws {
    let model = try StoreFixture.model()
    #expect(Model(text: StoredModel(model).text) == model)
    #expect(
      StoredModel(model).text.hasSuffix("code:uuid! note:string\nTag name:string"),
      "\(StoredModel(model).text)"
    )
    for bad in [
      "", "Item title", "Item title:text", "Item a:int a:int", "It\"em", " ", "Item a:int!!",
    ] {
      #expect(Model(text: bad) == nil, "\(bad)")
    }
  }
}

extension Model {
  fileprivate init?(text: String) {
    guard let stored = StoredModel(text: text), let model = try? Model(stored.live.entities) else {
      return nil
    }
    self = model
  }
}
