import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct MemberTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.memberLocks = .none
    self.fixture = fixture
    store = try fixture.open()
    try store.add("a")
    try store.add("b")
  }

  @Test func `The first launch registers at the head`() throws {
    let registration = try store.join("app", author: "app")
    #expect(registration.member == "app")
    #expect(registration.isNew)
    #expect(registration.cursor == (try store.currentToken()))
    let member = try #require(try store.members().first)
    #expect(member.id == "app")
    #expect(member.kind == .tracker)
    #expect(member.state == .active)
    #expect(member.cursor == 2)
    #expect(member.seen == fixture.clock.date)
  }

  @Test func `A member of an empty history starts at its beginning`() throws {
    let store = try StoreFixture().open()
    let registration = try store.join("app")
    #expect(registration.cursor == .beginning(of: store.id))
    try store.add("a")
    #expect(try store.numbers(after: registration.cursor) == [1])
  }

  @Test func `A relaunch continues from the recorded cursor in a new epoch`() throws {
    let first = try store.join("app")
    try store.add("c")
    try store.record(first, through: try store.currentToken())
    try store.add("d")
    let second = try fixture.open().join("app")
    #expect(!second.isNew)
    #expect(second.epoch > first.epoch)
    #expect(second.cursor.number == 3)
    #expect(try store.numbers(after: second.cursor) == [4])
  }

  @Test func `A later launch supersedes the earlier one, whose writes then fail`() throws {
    let old = try store.join("app")
    let new = try fixture.open().join("app")
    let head = try HistoryToken(
      store: store.id,
      number: store.add("c"),
      mark: store.currentToken().mark
    )
    let expected = HistoryError.superseded("app")
    #expect(throws: expected) { try store.record(old, through: head) }
    #expect(throws: expected) { try store.purge(by: old) }
    #expect(throws: expected) { try store.resync(old) }
    #expect(throws: expected) { try store.retire(old) }
    #expect(try store.members().map(\.cursor) == [2])
    try store.record(new, through: head)
    #expect(try store.members().map(\.cursor) == [3])
  }

  @Test func `Epochs rise over all members and retirements`() throws {
    var epochs: [Int64] = []
    for name in ["app", "widget", "app"] { epochs.append(try store.join(MemberID(name)).epoch) }
    let last = try store.join("app")
    try store.retire(last)
    epochs += [last.epoch, try store.join("app").epoch]
    #expect(epochs == epochs.sorted())
    #expect(Set(epochs).count == 5)
  }

  @Test func `Recording a lower position does not move the cursor`() throws {
    let registration = try store.join("app")
    let early = registration.cursor
    try store.add("c")
    let late = try store.currentToken()
    try store.record(registration, through: late)
    fixture.clock.now += 5
    try store.record(registration, through: early)
    #expect(try store.members().map(\.cursor) == [3])
    #expect(try fixture.open().join("app").cursor == late)
  }

  @Test func `Recording sets the time when the member was last seen`() throws {
    let registration = try store.join("app")
    fixture.clock.now += 5
    try store.record(registration, through: try store.currentToken())
    #expect(try store.members().map(\.seen) == [fixture.clock.date])
  }

  @Test func `A purged position can still be recorded`() throws {
    let registration = try store.join("app")
    let token = try store.currentToken()
    try store.add("c")
    try fixture.execute(
      "DELETE FROM \(fixture.layout.transactions) WHERE \(fixture.layout.number) <= 2"
    )
    try store.record(registration, through: token)
  }

  @Test func `A retired member is not a member until it joins again at the head`() throws {
    let registration = try store.join("app")
    try store.retire(registration)
    #expect(try store.members().map(\.state) == [.retired])
    let expected = HistoryError.notAMember("app")
    #expect(throws: expected) { try store.record(registration, through: registration.cursor) }
    #expect(throws: expected) { try store.resync(registration) }
    #expect(throws: expected) { try store.retire(registration) }
    try store.add("c")
    let again = try store.join("app")
    #expect(again.isNew)
    #expect(again.cursor.number == 3)
    #expect(throws: HistoryError.superseded("app")) {
      try store.record(registration, through: registration.cursor)
    }
    #expect(throws: HistoryError.notAMember("stranger")) {
      try store.record(
        try StoreFixture().open().join("stranger"),
        through: registration.cursor
      )
    }
  }

  @Test func `A resync moves the cursor to the head within the same launch`() throws {
    let registration = try store.join("app")
    try store.add("c")
    let resynced = try store.resync(registration)
    #expect(resynced.cursor.number == 3)
    #expect(resynced.epoch == registration.epoch)
    #expect(try store.members().map(\.cursor) == [3])
    try store.record(registration, through: resynced.cursor)
  }

  @Test func `A lost member gets an error, retains no history, and recovers by a resync`() throws {
    let registration = try store.join("app")
    try fixture.execute("UPDATE history_member SET state = 2")
    try store.add("c")
    let expected = HistoryError.lost("app")
    #expect(throws: expected) { try store.record(registration, through: registration.cursor) }
    #expect(throws: expected) { try store.join("app") }
    #expect(try store.members().map(\.state) == [.lost])
    #expect(try store.purge().purgedThrough == 2)
    let resynced = try store.resync(registration)
    #expect(resynced.cursor.number == 3)
    #expect(try store.members().map(\.state) == [.active])
    try store.record(resynced, through: resynced.cursor)
  }

  @Test func `A lost member recovers after a relaunch, too`() throws {
    _ = try store.join("app")
    try fixture.execute("UPDATE history_member SET state = 2")
    try store.add("c")
    let again = try store.join("app", resyncingIfLost: true)
    #expect(again.isNew)
    #expect(again.cursor.number == 3)
    #expect(try store.members().map(\.state) == [.active])
    let known = try store.join("app", resyncingIfLost: true)
    #expect(!known.isNew)
  }

  @Test func `A refused launch uses no epoch`() throws {
    let registration = try store.join("app")
    try fixture.execute("UPDATE history_member SET state = 2")
    #expect(throws: HistoryError.lost("app")) { try store.join("app") }
    try store.retire(registration)
    #expect(try store.join("app").epoch == registration.epoch + 1)
  }

  @Test func `Members are listed by name`() throws {
    for name in ["widget", "app"] { _ = try store.join(MemberID(name)) }
    _ = try store.join("mirror", kind: .consumer)
    #expect(try store.members().map(\.id) == ["app", "mirror", "widget"])
    #expect(try store.members().map(\.kind) == [.tracker, .consumer, .tracker])
  }
}
