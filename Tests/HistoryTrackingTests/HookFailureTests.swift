import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

@Suite struct `Hooks that throw` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()
  let clock = HandClock(sleepCountMax: 6)

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test
  func `With retry the pass fails, and only observers that were not notified are called again`()
    async throws
  {
    let app = try await shared.started("app") { $0.clock = clock.trackerClock }
    let weather = Weather()
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in
      notes.note($0, by: "first")
    }
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in
      notes.note($0, by: "bad")
      try await weather.check()
    }
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in
      notes.note($0, by: "last")
    }
    try other.write("a", "b")
    let error = HistoryError.hookFailed("insert of Item", why: "Rain()")
    await #expect(throws: error) { try await app.pass() }
    #expect(await app.failure == error)
    #expect(try app.view.titles.isEmpty && shared.cursor("app") == 0)
    #expect(notes.all == ["first: insert Item x1 of #1", "bad: insert Item x1 of #1"])
    await #expect(throws: error) { try await app.pass() }
    #expect(notes.all.dropFirst(2) == ["bad: insert Item x1 of #1"])
    await weather.clear()
    try await app.pass()
    #expect(
      notes.all.dropFirst(3) == [
        "bad: insert Item x1 of #1", "last: insert Item x1 of #1",
        "first: insert Item x1 of #2", "bad: insert Item x1 of #2", "last: insert Item x1 of #2",
      ]
    )
    #expect(try app.view.titles == ["a", "b"] && shared.cursor("app") == 2)
    #expect(await app.failure == nil)
  }

  @Test func `With retry the retained history and the failing hook are logged`()
    async throws
  {
    let app = try await shared.started("app") { $0.clock = clock.trackerClock }
    let widget = try await shared.started("widget")
    let id = try await app.registerObserver(entity: "Item", operation: .insert) { _ in throw Rain()
    }
    try other.write("a", "b", "c")
    var reports = await app.passes.makeAsyncIterator()
    for attempt in 1...3 {
      await #expect(throws: HistoryError.self) { try await app.pass() }
      let report = try #require(await reports.next())
      let failure = try #require(report.hookFailures.first)
      #expect(failure.hook == id && failure.policy == .retry && failure.transaction == 1)
      #expect(failure.attemptCount == attempt)
      #expect(failure.lasting == .seconds(60 * (attempt - 1)))
      #expect(report.failure == .hookFailed("insert of Item", why: "Rain()"))
      clock.advance(by: .seconds(60))
    }
    let faults = (app.configuration.logger as? RecordingLogger)?.notes(at: .critical) ?? []
    #expect(faults.count == 3)
    #expect(faults[2].contains("insert of Item") && faults[2].contains("120"))
    // Other members see it too: the history that the actor has not recorded is retained, as the
    // purge reports.
    let purge = try await widget.purge()
    #expect(purge.watermark == 0 && purge.transactionCount == 0)
    #expect(try shared.held() == [1, 2, 3])
    await app.removeObserver(id: id)
    try await app.pass()
    #expect(try await widget.pass().purgedThrough == 2)
  }

  @Test func `With skip the call is abandoned, and everything else continues`() async throws {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Item", operation: .insert, onFailure: .skip) { _ in
      throw Rain()
    }
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in notes.note($0) }
    try await app.registerMergeHook(onFailure: .skip) { _ in throw Rain() }
    try await app.registerMergeHook { [notes] _ in
      notes.note("merge")
      return .proceed
    }
    try other.write("a")
    let report = try await app.pass()
    #expect(report.hookFailures.map(\.name) == ["insert of Item", "merge"])
    #expect(report.hookFailures.allSatisfy { $0.policy == .skip && $0.reason == "Rain()" })
    #expect(notes.all == ["insert Item x1 of #1", "merge"])
    #expect(try app.view.titles == ["a"] && shared.cursor("app") == 1)
    #expect(app.messages.count { $0.contains("continues without this call") } == 2)
  }

  @Test func `With stop the tracker stops, and a restart continues where it was`() async throws {
    let signals = Signals()
    let app = try await shared.started("app") { $0.signals = signals.source }
    let weather = Weather()
    try await app.registerObserver(entity: "Item", operation: .insert, onFailure: .stop) { _ in
      try await weather.check()
    }
    try other.write("a")
    await #expect(throws: HistoryError.self) { try await app.pass() }
    #expect(await !app.isStarted)
    #expect(await !app.isLaunched)
    #expect(try shared.cursor("app") == 0)
    await weather.clear()
    #expect(try await app.start().transactionCount == 1)
    #expect(await app.isStarted)
  }

  @Test func `A following tracker retries the pass with growing pauses`() async throws {
    let signals = Signals()
    let gate = Gate()
    let app = try await shared.started("app") {
      $0.signals = signals.source
      $0.clock = clock.trackerClock
    }
    try await app.registerMergeHook { [notes] _ in
      notes.note("asked")
      if notes.count <= 6 { throw Rain() }
      await gate.pass()
      return .proceed
    }
    try other.write("a")
    signals.send()
    await gate.arrived()
    let expected: [Duration] = [50, 100, 200, 400, 800, 1600].map { .milliseconds($0) }
    #expect(clock.pauses == expected)
    var reports = await app.passes.makeAsyncIterator()
    await gate.open()
    let report = try #require(await reports.next())
    #expect(report.failure == nil && report.transactionCount == 1)
    #expect(try app.view.titles == ["a"] && shared.cursor("app") == 1)
  }

  @Test func `A tracker whose first pass fails still follows and retries it`() async throws {
    let signals = Signals()
    let weather = Weather()
    let app = try shared.tracker("app") {
      $0.signals = signals.source
      $0.clock = clock.trackerClock
    }
    try await app.start()
    await app.stop()
    try await app.registerMergeHook { [notes] _ in
      notes.note("asked")
      if notes.count == 3 { await weather.clear() }
      try await weather.check()
      return .proceed
    }
    try other.write("a")
    var reports = await app.passes.makeAsyncIterator()
    await #expect(throws: HistoryError.hookFailed("merge", why: "Rain()")) { try await app.start() }
    #expect(await app.isStarted)
    while let report = await reports.next(), report.failure != nil {}
    #expect(clock.pauses == [.milliseconds(50), .milliseconds(100)])
    #expect(try app.view.titles == ["a"])
    try other.write("b")
    signals.send()
    #expect(await reports.next()?.numbers == [2])
  }

  @Test func `Pauses are limited to thirty seconds`() async throws {
    let signals = Signals()
    let clock = HandClock(sleepCountMax: 14)
    let app = try await shared.started("app") {
      $0.signals = signals.source
      $0.clock = clock.trackerClock
    }
    try await app.registerMergeHook { _ in throw Rain() }
    try other.write("a")
    var reports = await app.passes.makeAsyncIterator()
    signals.send()
    for _ in 0..<15 { _ = await reports.next() }
    #expect(clock.pauses.max() == .seconds(30) && clock.pauses.count == 14)
  }

  @Test func `After a failure, merge hooks run again from the first, with the same transactions`()
    async throws
  {
    let app = try await shared.started("app")
    let weather = Weather()
    try await app.registerMergeHook { [notes] input in
      notes.note("first \(input.transactions.map(\.number))")
      return .proceed
    }
    try await app.registerMergeHook { _ in
      try await weather.check()
      return .proceed
    }
    try other.write("a")
    await #expect(throws: HistoryError.hookFailed("merge", why: "Rain()")) { try await app.pass() }
    try other.write("b")
    await weather.clear()
    try await app.pass()
    #expect(notes.all == ["first [1]", "first [1, 2]"])
    #expect(try app.view.titles == ["a", "b"])
  }

  @Test func `A hook that requests a pass of its own tracker gets an error, not a deadlock`()
    async throws
  {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes, weak app] _ in
      for ask in [Ask.pass, .start, .resync, .retire] {
        do throws(HistoryError) {
          try await ask.of(app)
        } catch {
          notes.note("\(ask): \(error == .insideHook("app"))")
        }
      }
      try await app?.purge()
    }
    try other.write("a")
    try await app.pass()
    #expect(notes.all == ["pass: true", "start: true", "resync: true", "retire: true"])
    #expect(try app.view.titles == ["a"])
    // A task that a hook has started may request a pass after the hook has finished.
    try await app.pass()
  }
}

/// Requests that a hook must not make.
private enum Ask {
  case pass
  case start
  case resync
  case retire

  func of(_ tracker: HistoryTracker?) async throws(HistoryError) {
    switch self {
    case .pass: try await tracker?.pass()
    case .start: try await tracker?.start()
    case .resync: try await tracker?.resync()
    case .retire: try await tracker?.retire()
    }
  }
}
