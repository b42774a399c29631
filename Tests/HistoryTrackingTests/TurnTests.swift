import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

@Suite struct `One pass at a time` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()
  let gate = Gate()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  /// A tracker whose hook waits at the gate.
  private func gated(_ signals: Signals? = nil) async throws -> HistoryTracker {
    let app = try await shared.started("app") {
      if let signals { $0.signals = signals.source }
    }
    try await app.registerMergeHook { [notes, gate] input in
      notes.note("begin \(input.transactions.map(\.number))")
      await gate.pass()
      notes.note("end")
      return .proceed
    }
    return app
  }

  @Test func `Signals during a pass lead to exactly one more`() async throws {
    let signals = Signals()
    let app = try await gated(signals)
    var reports = await app.passes.makeAsyncIterator()
    try other.write("a")
    signals.send()
    await gate.arrived()
    for title in ["b", "c", "d"] {
      try other.write(title)
      signals.send()
    }
    await gate.open()
    #expect(await reports.next()?.numbers == [1])
    #expect(await reports.next()?.numbers == [2, 3, 4])
    // A third pass would be reported before the requested one.
    try other.write("e")
    try await app.pass()
    #expect(await reports.next()?.numbers == [5])
    #expect(notes.all == ["begin [1]", "end", "begin [2, 3, 4]", "end", "begin [5]", "end"])
  }

  @Test func `Requests during a pass share the next one`() async throws {
    let app = try await gated()
    var reports = await app.passes.makeAsyncIterator()
    try other.write("a")
    async let first = app.pass()
    await gate.arrived()
    try other.write("b")
    let rest = await withTaskGroup(of: PassReport?.self) { group in
      for _ in 0..<5 { group.addTask { try? await app.pass() } }
      await eventually("five wait") { await app.waitingCount == 5 }
      await gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(try await first.numbers == [1])
    #expect(rest.count == 5 && Set(rest).count == 1 && rest[0]?.numbers == [2])
    #expect(await reports.next()?.numbers == [1])
    #expect(await reports.next()?.numbers == [2])
    #expect(notes.all == ["begin [1]", "end", "begin [2]", "end"])
  }

  @Test func `A resync waits until the running pass has finished`() async throws {
    let app = try await gated()
    try other.write("a")
    async let pass = app.pass()
    await gate.arrived()
    async let resync = app.resync()
    await eventually("one waits") { await app.waitingCount == 1 }
    try other.write("b")
    await gate.open()
    #expect(try await pass.numbers == [1])
    #expect(try await resync.number == 2)
    #expect(try app.view.titles == ["a", "b"])
  }

  @Test func `A tracker stopped during a pass finishes it, and no signal starts it`()
    async throws
  {
    let signals = Signals()
    let app = try await gated(signals)
    var reports = await app.passes.makeAsyncIterator()
    try other.write("a")
    async let pass = app.pass()
    await gate.arrived()
    try other.write("b")
    // The pass that the signal requests is waiting when the tracker is stopped.
    signals.send()
    await eventually("the signal waits") { await app.waitingCount == 1 }
    async let stop: Void = app.stop()
    await eventually("the tracker is stopped") { await !app.isStarted }
    await gate.open()
    await stop
    #expect(try await pass.numbers == [1])
    #expect(await reports.next()?.numbers == [1])
    #expect(await app.waitingCount == 0)
    try await app.purge()
    #expect(await !app.isStarted)
    #expect(await !app.isLaunched)
    #expect(try shared.cursor("app") == 1)
    #expect(try await app.start().numbers == [2])
  }
}
