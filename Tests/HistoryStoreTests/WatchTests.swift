import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout, .blocksItsThread) struct WatchTests {
  @Test func `A commit through another store is reported with its own token`() throws {
    let fixture = try StoreFixture.withoutPoll()
    let reader = try fixture.open()
    let writer = try fixture.open()
    let reported = ReportedTokens()
    let watch = try reader.watch(reported.note)
    let token = try #require(try writer.add(["a"]).transaction).token
    reported.wait(for: 1)
    #expect(reported.all == [token])
    withExtendedLifetime(watch) {}
  }

  @Test func `A commit of the watching store itself is reported too`() throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let reported = ReportedTokens()
    let watch = try store.watch(reported.note)
    try store.add("a")
    reported.wait(for: 1)
    try store.save([ObjectEdit(.insert, ObjectID(entity: 2, key: 900), values: [.null])])
    reported.wait(for: 2)
    withExtendedLifetime(watch) {}
  }

  @Test func `Commits before the watch are not reported`() throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    try store.add("a")
    let reported = ReportedTokens()
    let watch = try store.watch(reported.note)
    // The watch wakes up and polls the store when the signal file is removed.
    let signalPath = fixture.path + "-signal"
    try FileManager.default.removeItem(atPath: signalPath)
    let deadline = Date(timeIntervalSinceNow: 20)
    while !FileManager.default.fileExists(atPath: signalPath), Date() < deadline {}
    let other = try fixture.open()
    try other.add("b")
    reported.wait(for: 2)
    #expect(reported.numbers == [2])
    withExtendedLifetime(watch) {}
  }

  @Test func `Commits while a closure runs lead to exactly one more call, with the newest`() throws
  {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let reported = ReportedTokens()
    let mayGoOn = DispatchSemaphore(value: 0)
    let watch = try store.watch { token in
      reported.note(token)
      mayGoOn.wait()
    }
    try store.add("first")
    reported.wait(for: 1)
    for index in 2...6 { try store.add("\(index)") }
    mayGoOn.signal()
    reported.wait(for: 6)
    mayGoOn.signal()
    try store.add("last")
    reported.wait(for: 7)
    mayGoOn.signal()
    #expect(reported.numbers == [1, 6, 7])
    withExtendedLifetime(watch) {}
  }

  @Test func `All watches of a store are notified`() throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let first = ReportedTokens()
    let second = ReportedTokens()
    let ended = ReportedTokens()
    let watches = try [first, second, ended].map { try store.watch($0.note) }
    watches[2].cancel()
    try store.add("a")
    first.wait(for: 1)
    second.wait(for: 1)
    watches[0].cancel()
    try store.add("b")
    second.wait(for: 2)
    #expect(first.numbers == [1])
    #expect(ended.numbers == [])
    withExtendedLifetime(watches) {}
  }

  @Test func `Without signals a poll finds the commits`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.signalsChanges = false
    fixture.configuration.changePollInterval = .milliseconds(5)
    let store = try fixture.open()
    let reported = ReportedTokens()
    let watch = try store.watch(reported.note)
    try store.add("a")
    reported.wait(for: 1)
    #expect(try fixture.folder.names().contains("store-signal") == false)
    withExtendedLifetime(watch) {}
  }

  @Test func `A store opened through a symbolic link sends and receives signals`() throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let link = fixture.folder.path("link")
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: fixture.path
    )
    let linked = try Store(path: link, configuration: fixture.configuration)
    let reported = ReportedTokens()
    let toldLinked = ReportedTokens()
    let watches = [try store.watch(reported.note), try linked.watch(toldLinked.note)]
    try linked.add("a")
    reported.wait(for: 1)
    try store.add("b")
    toldLinked.wait(for: 2)
    withExtendedLifetime(watches) {}
  }

  @Test func `The sequence yields the newest position after several commits`() async throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let reported = ReportedTokens()
    let changes = try store.changes
    // It is notified after the sequence, so the sequence already has each position seen here.
    let watch = try store.watch(reported.note)
    try store.add("a")
    reported.wait(for: 1)
    for index in 2...5 { try store.add("\(index)") }
    reported.wait(for: 5)
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.number == 5)
    try store.add("b")
    #expect(await iterator.next()?.number == 6)
    withExtendedLifetime(watch) {}
  }
}
