import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// Dates stored by PersistentHistoryTrackingKit, imported by a member's first launch.
@Suite(.inEveryLayout) struct KitCursorsTests {
  private static let key = KitCursors.standardPrefix

  private func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  private func store(
    _ times: [Double],
    _ timestamps: StoreConfiguration.Timestamps = .wallClock
  ) throws -> Store {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = timestamps
    fixture.configuration.memberLocks = .none
    let store = try fixture.open()
    for time in times {
      fixture.clock.now = time
      try store.add("a", by: "other")
    }
    return store
  }

  private func cursors(_ seconds: Double) -> KitCursors {
    KitCursors([Self.key + "app": date(seconds)])
  }

  @Test(
    arguments: [
      (5.0, 0), (10.0, 0), (10.5, 1), (20.0, 1), (29.0, 3), (30.0, 3), (30.5, 4), (1e9, 4),
    ] as [(Double, Int64)]
  )
  func `The imported cursor is after all transactions strictly before the date`(
    _ seconds: Double,
    _ number: Int64
  ) throws {
    // 2 and 3 have the same time: 3 may have come after the kit fetched 2.
    let store = try store([10, 20, 20, 30])
    let registration = try store.join("app", author: "app", importing: cursors(seconds))
    #expect(registration.isNew && registration.cursor.number == number)
    let expected = CursorImport.imported(registration.cursor, date: date(seconds))
    #expect(registration.cursorImport == expected)
    #expect(try store.numbers(after: registration.cursor) == Array(number + 1..<5))
    #expect(try store.recordedCursor(of: registration) == registration.cursor)
    #expect(expected.description.contains("starts after #\(number), "))
  }

  @Test func `After a clock step back, transactions that the kit skipped are delivered`() throws {
    // The kit merged 2 at 30; it never fetched 3 and 4, written after the clock had stepped back.
    let store = try store([10, 30, 20, 25, 40])
    let registration = try store.join("app", author: "app", importing: cursors(30))
    #expect(try store.numbers(after: registration.cursor) == [2, 3, 4, 5])
    #expect(try store.join("b", author: "app", importing: cursors(41)).cursor.number == 5)
  }

  @Test func `With monotone timestamps the date is found without a scan`() throws {
    let store = try store([10, 20, 20, 30], .monotone)
    for (seconds, number) in [(5.0, 0), (20, 1), (20.5, 3), (30, 3), (31, 4)] as [(Double, Int64)] {
      let member = MemberID("at \(seconds)")
      let registration = try store.join(member, author: "app", importing: cursors(seconds))
      #expect(registration.cursor.number == number)
    }
  }

  @Test func `Only a first launch imports`() throws {
    let store = try store([10, 20, 30])
    let head = try { try store.join("app", author: "app") }().cursor
    func join(_ seconds: Double) throws -> Registration {
      try store.join("app", author: "app", resyncingIfLost: true, importing: cursors(seconds))
    }
    let again = try { try join(15) }()
    #expect(again.cursor == head && again.cursorImport == .ignored(.alreadyAMember))
    try store.retire(try join(15))
    let retired = try { try join(15) }()
    #expect(retired.cursor == head && retired.cursorImport == .ignored(.alreadyAMember))
    #expect(try store.forget("app"))
    #expect(try join(15).cursor.number == 1)
    #expect(try store.join("plain", author: "app").cursorImport == nil)
  }

  @Test func `An author without a date starts at the head`() throws {
    let store = try store([10, 20])
    for author in ["widget", nil] {
      let member = MemberID(author ?? "none")
      let registration = try store.join(member, author: author, importing: cursors(15))
      #expect(registration.cursor.number == 2)
      #expect(registration.cursorImport == .ignored(.noDate(author: author)))
    }
  }

  @Test func `The kit's date is ignored if history after it was purged`() throws {
    let store = try store([10, 20, 30, 40, 50])
    try store.purge(before: try store.token(4))
    func join(_ name: String, _ seconds: Double) throws -> Registration {
      try store.join(MemberID(name), author: "app", importing: cursors(seconds))
    }
    let gone = try join("a", 25)
    #expect(gone.cursor.number == 5)
    #expect(gone.cursorImport == .ignored(.historyIsGone(date: date(25))))
    #expect(gone.cursorImport?.description.contains("may have been purged") == true)
    // The kit keeps the transaction at the least date: every member has merged all before it.
    let kept = try join("b", 40)
    #expect(kept.cursor.number == 3 && kept.cursorImport != nil)
    #expect(try store.numbers(after: kept.cursor) == [4, 5])
    #expect(try join("c", 45).cursor.number == 4)
  }

  @Test func `The kit's date is ignored if history before it has gaps`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    let store = try fixture.open()
    for (time, author) in [(10.0, PurgeTests.mirror), (20, "x"), (30, "x"), (40, "x")] {
      fixture.clock.now = time
      try store.add("a", by: author)
    }
    try store.purge()
    #expect(try store.heldNumbers() == [1, 4])
    let registration = try store.join("app", author: "app", importing: cursors(15))
    #expect(registration.cursorImport == .ignored(.historyIsGone(date: date(15))))
    #expect(registration.cursor.number == 4)
  }

  @Test func `An imported cursor retains history at once`() throws {
    let store = try store([10, 20, 30])
    let registration = try store.join("app", author: "app", importing: cursors(20))
    #expect(try store.purge().purgedThrough == 1)
    #expect(try store.numbers(after: registration.cursor) == [2, 3])
  }

  @Test func `A dictionary's dates are found by prefix`() throws {
    let defaults: [String: Any] = [
      Self.key + "app": date(1), Self.key + "b.c": date(2), Self.key + "odd": "text",
      "mine.app": date(3), "other": 4,
    ]
    #expect(KitCursors(defaults).dates == ["app": date(1), "b.c": date(2)])
    #expect(KitCursors(defaults, prefix: "mine.").dates == ["app": date(3)])
    #expect(KitCursors([:]).dates.isEmpty)
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `A property list's dates are found by prefix among other values`(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let defaults: [String: Any] = [
      Self.key + "app": date(700_000_000), Self.key + "widget": date(5), "mine.x": date(6),
      "AppleLanguages": ["en"], "window": ["x": 1, "y": [true, 2.5]] as [String: Any],
      "blob": Data([1, 2]), "name": "text", "flag": true,
    ]
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: defaults,
      format: format,
      options: 0
    )
    let cursors = try KitCursors(propertyList: bytes)
    #expect(cursors.dates == ["app": date(700_000_000), "widget": date(5)])
    #expect(try KitCursors(propertyList: bytes, prefix: "mine.").dates == ["x": date(6)])
    let error = #expect(throws: HistoryError.self) {
      try KitCursors(propertyList: bytes, prefix: "na")
    }
    #expect(error?.description.contains("\"name\"") == true)
  }

  @Test(arguments: [
    "", "garbage", "<plist><array/></plist>", "bplist00", "<?xml version=\"1.0\"?><plist", "[1,2]",
  ])
  func `Bytes that are not a property list with keys are refused with a message`(
    text: String
  ) throws {
    let error = #expect(throws: HistoryError.self) {
      try KitCursors(propertyList: Data(text.utf8))
    }
    let sentence = try #require(error).description
    #expect(sentence.contains("(\(text.utf8.count) bytes) is not a property list"))
  }
}
