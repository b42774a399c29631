import HistoryTypes
import Testing
import Traces

@testable import Simulation
@testable import Systems

@Suite struct `Closing passes and reads` {
  private let system = ScriptedSystem()
  private let round = [
    "fetch app", "merge app", "record app", "fetch widget", "merge widget", "record widget",
  ]

  /// Returns the calls to the system after the launches.
  private func closing(_ plan: Plan? = nil) throws -> [String] {
    let plan = try plan ?? Plans.make(["widget", "app"])
    _ = try Simulator(system, at: .heap()).run(plan)
    return Array(system.words.dropFirst(2))
  }

  private let reads = ["view app", "view widget", "data ", "history "]

  @Test func `After two quiet rounds the run closes and reads views, data and history`() throws {
    #expect(try closing() == round + round + reads)
  }

  @Test func `Each round with events requires two more quiet ones`() throws {
    var fetches = 0
    system.answer = { action, log in
      guard action.word == "fetch" else { return }
      fetches += 1
      // The widget's second fetch returns a transaction.
      log.add(action.actor, .fetched(fetches == 4 ? ["1"] : []))
    }
    #expect(try closing() == round + round + round + round + reads)
  }

  @Test func `Closing takes at most eight rounds and sends no purge or pass command`() throws {
    system.answer = { action, log in
      if action.word == "merge" { log.add(action.actor, .merged(["1"])) }
    }
    let words = try closing()
    #expect(words == Array(repeating: round, count: 8).flatMap { $0 } + reads)
    #expect(!words.contains { $0.hasPrefix("purge") || $0.hasPrefix("pass") })
  }

  @Test(arguments: [EventKind.expired, .rewound])
  func `A member with expired history resyncs if the system can`(_ kind: EventKind) throws {
    var fetches = 0
    system.answer = { action, log throws(SystemFailure) in
      guard action == .fetch("widget") else { return }
      fetches += 1
      guard fetches == 1 else { return }
      log.add("widget", kind)
      throw SystemFailure(.expired, "")
    }
    #expect(try closing() == round + ["resync widget"] + round + round + reads)
    fetches = 0
    system.capabilities.remove(.resync)
    #expect(try closing() == round + round + round + reads)
  }

  @Test func `A superseded process restarts only after a failed takeover`()
    throws
  {
    system.capabilities.insert(.twice)
    var (launches, fetches) = (0, 0)
    system.answer = { action, _ throws(SystemFailure) in
      if action == .launch("widget") { launches += 1 }
      if action == .fetch("widget") { fetches += 1 }
      if action == .launch("widget"), launches == 2 { throw SystemFailure(.io, "") }
      if action == .fetch("widget"), fetches == 1 { throw SystemFailure(.superseded, "") }
    }
    let overtaken = try closing(Plans.make(["widget", "app"], .launch("widget")))
    #expect(overtaken == ["launch widget"] + round + ["launch widget"] + round + reads)
    (launches, fetches) = (2, 0)
    #expect(try closing(Plans.make(["widget", "app"], .data)) == ["data "] + round + round + reads)
  }

  /// Returns the calls to the system if every actor has to be quiet once, in turn.
  ///
  /// `found` names the widget's and app's nth fetches that return a transaction.
  private func closingInTurn(finding found: Set<String>) throws -> [String] {
    var fetches: [String: Int] = [:]
    system.answer = { action, log in
      guard action.word == "fetch", let actor = action.actor else { return }
      fetches[actor.name, default: 0] += 1
      let isFound = found.contains("\(actor) \(fetches[actor.name] ?? 0)")
      log.add(actor, .fetched(isFound ? ["1"] : []))
    }
    let (simulator, header) = (
      Simulator(system, at: .heap()), try Plans.make(["widget", "app"]).header
    )
    try simulator.open(header) { _ in true }
    simulator.conclude(header, after: 0, quietRounds: 0) { _ in true }
    return Array(system.words.dropFirst(2))
  }

  @Test(arguments: [
    ([], ["app", "widget"]),
    (["app 1"], ["app", "widget", "app"]),
    (["widget 1"], ["app", "widget", "app", "widget"]),
    (["app 1", "widget 1", "app 2"], ["app", "widget", "app", "widget", "app"]),
  ])
  func `Closing in turn ends once each actor has passed since the last change`(
    found: [String],
    turns: [String]
  ) throws {
    let passes = turns.flatMap { ["fetch \($0)", "merge \($0)", "record \($0)"] }
    #expect(try closingInTurn(finding: Set(found)) == passes + reads)
  }

  @Test func `Closing in turn takes at most eight rounds`() throws {
    let always = Set((1...20).flatMap { ["app \($0)", "widget \($0)"] })
    let words = try closingInTurn(finding: always)
    #expect(words == Array(repeating: round, count: 8).flatMap { $0 } + reads)
  }

  @Test func `Only running actors take part in closing`() throws {
    let plan = try Plans.make(["widget", "app"], .crash("widget"))
    #expect(
      try closing(plan) == ["crash widget"] + round.prefix(3) + round.prefix(3) + [
        "view app", "data ", "history ",
      ]
    )
  }

  @Test func `History is read if the system can report it`() throws {
    system.capabilities.remove(.history)
    #expect(try closing().last == "data ")
  }

  @Test func `Commands of the closing passes and reads have no position in the plan`() throws {
    let events = try Simulator(system, at: .heap()).run(Plans.make(["app"], .data))
    let closing = events.drop { $0.kind != .ended(command: 0, .ok) }.dropFirst()
    #expect(closing.count == 2 * (6 + 3))
    for event in closing {
      switch event.kind {
      case .called(let command, _), .ended(let command, _): #expect(command == nil)
      default: Issue.record("\(event.kind)")
      }
    }
  }

  @Test func `With small pages closing continues while a cursor moves`() throws {
    var plan = try Plans.make(["widget", "app"])
    plan.header.actors[1].page = 1
    plan.commands = (1...9).map { Command(write("widget", $0)) }
    var records = 0
    system.answer = { action, log in
      guard action == .record("app") else { return }
      records += 1
      log.add("app", .recorded(cursor: String(min(records, 9))))
    }
    let words = try closing(plan)
    // Nine records move the cursor; the next two do not.
    #expect(words.count { $0 == "record app" } == 11)
    #expect(words.suffix(4) == reads)
  }
}
