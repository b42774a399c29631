import Foundation
import HistoryTypes
import TestSupport
import Testing

@testable import Traces

@Suite struct `Joining the traces of real processes` {
  private let header = PlanHeader(
    model: Model(unchecked: [Entity("Item", [Attribute("count", .int)])]),
    actors: ["app", "widget", "share"].map { PlannedActor(ActorID($0), author: $0) }
  )

  // MARK: Order

  @Test func `Commits come in the order of their numbers`() throws {
    let words = try join([
      [write("app", 2, during: 10...50)],
      [write("widget", 1, during: 20...30), write("widget", 3, during: 60...70)],
    ])
    #expect(words.compactMap(\.committed) == ["1", "2", "3"])
  }

  @Test func `A transaction precedes every event that names it`() throws {
    let events = try join([
      [event("widget", .merged(["1"]), 5...40), event("widget", .recorded(cursor: "1"), 41...42)],
      [write("app", 1, during: 20...60)],
    ])
    #expect(events.map(\.word) == ["called", "committed", "ended", "merged", "recorded"])
  }

  @Test func `A registration follows the commit that its cursor names`() throws {
    let events = try join([
      [event("widget", .registered(cursor: "2"), 1...100)],
      [write("app", 1, during: 10...20), write("app", 2, during: 30...40)],
    ])
    #expect(events.last?.word == "registered")
  }

  @Test func `When a purge and a record overlap, the record comes first, and that is counted`()
    throws
  {
    let sources = [
      [write("app", 1, during: 1...2), event("app", .purged(["1"]), 10...30)],
      [event("widget", .recorded(cursor: "1"), 20...40)],
    ]
    var counts = (ambiguities: 0, unreported: 0)
    let events = try join(sources, &counts)
    #expect(events.suffix(2).map(\.word) == ["recorded", "purged"])
    #expect(counts.ambiguities == 1)
  }

  @Test func `A record that is certainly later stays after the purge`() throws {
    let sources = [
      [write("app", 1, during: 1...2), event("app", .purged(["1"]), 10...30)],
      [event("widget", .recorded(cursor: "1"), 31...40)],
    ]
    var counts = (ambiguities: 0, unreported: 0)
    let events = try join(sources, &counts)
    #expect(events.suffix(2).map(\.word) == ["purged", "recorded"])
    #expect(counts.ambiguities == 0)
  }

  @Test func `An unreported number is counted, and later ones are not reordered`() throws {
    let sources = [
      [write("app", 1, during: 1...2), write("app", 3, during: 10...12)],
      [event("widget", .crashed, 50...50)],
    ]
    var counts = (ambiguities: 0, unreported: 0)
    let events = try join(sources, &counts)
    #expect(counts.unreported == 1)
    #expect(events.last?.word == "crashed")
  }

  @Test func `Ticks are milliseconds, and positions are consecutive`() throws {
    let events = try join([[write("app", 1, during: 7_000_000...8_000_000)]])
    #expect(events.map(\.event.tick) == [7, 7, 7])
    #expect(events.map(\.event.at) == [0, 1, 2])
  }

  // MARK: Deaths

  @Test func `An interrupted write has the outcome that the store shows`() throws {
    let cut = Array(write("app", 2, during: 10...20).prefix(1))
    let settled = reported(2)
    let cases: [(ProcessTrace.CutOff, [String])] = [
      (.committed(settled), ["called", "committed", "ended ok"]),
      (.nothing, ["called", "ended failed"]),
      (.open, ["called", "ended unknown"]),
    ]
    for (cutOff, expected) in cases {
      var life = try file([cut])
      life.cutOff = cutOff
      life.diedAt = 90
      let other = try file([
        write("widget", 1, during: 30...40), write("widget", 3, during: 50...60),
      ])
      let events = try joinLives([[life], [other]])
      let mine = events.filter { $0.event.actor == "app" }.map(\.ending)
      #expect(mine == expected, "\(cutOff)")
      if case .committed = cutOff {
        #expect(events.compactMap(\.committed) == ["1", "2", "3"])
      }
    }
  }

  @Test func `An interrupted record is unknown, an interrupted purge counts as made`() throws {
    let cut = [
      line("app", .called(command: nil, word: "pass"), 10...10),
      line("app", .recorded(cursor: "1"), 10...10), line("app", .purged(["1"]), 10...10),
    ]
    let events = try join([[write("widget", 1, during: 1...2)], [cut]])
    #expect(events.suffix(3).map(\.ending) == ["called", "ended unknown", "purged"])
  }

  @Test func `A rolled back write does not count`() throws {
    let failed = [
      line("app", .called(command: nil, word: "pass"), 10...10),
      line("app", .recorded(cursor: "1"), 10...10),
      line("app", .ended(command: nil, .failed(SystemFailure(.io, "gone"))), 20...20),
    ]
    let events = try join([[write("widget", 1, during: 1...2)], [failed]])
    #expect(events.suffix(2).map(\.ending) == ["called", "ended failed"])
  }

  @Test func `An incomplete last line is ignored`() throws {
    var life = try file([write("app", 1, during: 1...2)])
    let text = try String(contentsOfFile: life.path, encoding: .utf8)
    try (text + #"{"actor":"app","at":3,"#).write(
      toFile: life.path,
      atomically: true,
      encoding: .utf8
    )
    life.diedAt = 9
    #expect(try joinLives([[life]]).map(\.word) == ["called", "committed", "ended"])
  }

  @Test func `A process without a log is skipped`() throws {
    let missing = ProcessTrace(path: folder.path("none.jsonl"))
    let next = try file([write("app", 1, during: 1...2)])
    #expect(try joinLives([[missing, next]]).count == 3)
  }

  // MARK: Commands

  @Test func `Each write continues the plan, with the names that the store assigned`() throws {
    let given = Command(
      .write(
        PlannedWrite(
          actor: "app",
          context: "batch",
          changes: [PlannedChange(.insert, ObjectName("Item", -1), ["count": .int(4)])]
        )
      )
    )
    var lines = write("app", 1, during: 1...2)
    lines[0].given = given
    let life = try file([lines])
    var join = try TraceJoin([TraceSource([life], header)], origin: 0)
    let step = try #require(try join.next())
    guard case .write(let write) = step.command?.action else {
      Issue.record("the step has no write")
      return
    }
    #expect(write.changes.map(\.object) == [ObjectName("Item", 1)])
    #expect(step.events.first?.kind == .called(command: 0, word: "write"))
  }

  @Test func `An event of a real process is read as it was written`() throws {
    let lines = write("app", 1, during: 9_223_372_036_854_775_000...9_223_372_036_854_775_001)
    let life = try file([lines])
    let trace = try ProcessTraceReader(life.path, header)
    for line in lines { #expect(try trace.next() == line) }
    #expect(try trace.next() == nil)
    #expect(
      try ProcessTraceReader.tail(of: life.path, header, byteCountMax: 200).last == lines.last
    )
  }

  // MARK: Making traces

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func line(
    _ actor: ActorID,
    _ kind: EventKind,
    _ mono: ClosedRange<Int64>
  ) -> TimedEvent {
    TimedEvent(Event(at: 0, tick: 0, actor: actor, kind), mono: mono)
  }

  private func event(
    _ actor: ActorID,
    _ kind: EventKind,
    _ mono: ClosedRange<Int64>
  ) -> [TimedEvent] { [line(actor, kind, mono)] }

  private func reported(_ number: Int64) -> CommittedTransaction {
    CommittedTransaction(
      name: String(number),
      author: nil,
      context: "view",
      writer: nil,
      timestamp: Double(number),
      changes: [CommittedChange(.insert, ObjectName("Item", number))]
    )
  }

  /// The lines of a write that was called long before.
  private func write(
    _ actor: ActorID,
    _ number: Int64,
    during mono: ClosedRange<Int64>
  ) -> [TimedEvent] {
    let change = PlannedChange(.insert, ObjectName("Item", number))
    var called = line(actor, .called(command: 1, word: "write"), 0...0)
    called.given = Command(.write(PlannedWrite(actor: actor, changes: [change])))
    return [
      called, line(actor, .committed(reported(number)), mono),
      line(actor, .ended(command: nil, .ok), mono),
    ]
  }

  private func file(_ groups: [[TimedEvent]]) throws -> ProcessTrace {
    let path = folder.path("\(UUID().uuidString).jsonl")
    let text = groups.joined().map { TraceCodec.encode($0) + "\n" }.joined()
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return ProcessTrace(path: path)
  }

  private func join(_ sources: [[[TimedEvent]]]) throws -> [JoinedEvent] {
    var counts = (ambiguities: 0, unreported: 0)
    return try join(sources, &counts)
  }

  private func join(
    _ sources: [[[TimedEvent]]],
    _ counts: inout (ambiguities: Int, unreported: Int)
  ) throws -> [JoinedEvent] {
    var join = try TraceJoin(
      try sources.map { TraceSource([try file($0)], header) },
      origin: 0
    )
    var events: [JoinedEvent] = []
    while let step = try join.next() { events += step.events.map(JoinedEvent.init) }
    counts = (join.ambiguousCount, join.unreportedCount)
    return events
  }

  private func joinLives(_ sources: [[ProcessTrace]]) throws -> [JoinedEvent] {
    var join = try TraceJoin(sources.map { TraceSource($0, header) }, origin: 0)
    var events: [JoinedEvent] = []
    while let step = try join.next() { events += step.events.map(JoinedEvent.init) }
    return events
  }
}

/// An event of a joined trace, in words.
private struct JoinedEvent {
  let event: Event

  var word: String { event.kind.word.rawValue }

  var committed: String? {
    if case .committed(let transaction) = event.kind { transaction.name } else { nil }
  }

  /// The word, and for an end the outcome.
  var ending: String {
    guard case .ended(_, let outcome) = event.kind else { return word }
    return switch outcome {
    case .ok: "ended ok"
    case .failed: "ended failed"
    case .unknown: "ended unknown"
    }
  }
}
