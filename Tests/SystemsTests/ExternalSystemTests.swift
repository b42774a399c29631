import HistoryTypes
import Programs
import Testing
import Traces

@testable import Systems

/// A program that responds as a test has set, message by message.
private final class ScriptedChannel: WireChannel {
  private var answers: [String]
  private(set) var asked: [String] = []
  var lastErrors = ""
  private(set) var isClosed = false

  init(_ answers: [String]) { self.answers = answers }

  func exchange(_ line: String) throws(ProgramError) -> String {
    asked.append(line)
    guard !answers.isEmpty else { throw ProgramError("it was silent for a second") }
    return answers.removeFirst()
  }

  func receive(within time: Duration) throws(ProgramError) -> String? { nil }

  func close() { isClosed = true }
}

@Suite struct `A program under test` {
  private static let capabilities = ["steps", "crash", "purge", "history"]

  /// A system whose every launch responds with these lines after its greeting and its reset.
  private final class Bench {
    let system: ExternalSystem
    var log = EventLog()
    let clock = PlanClock()
    private var environment: SystemEnvironment {
      SystemEnvironment(path: "", vfs: nil, clock: clock, seed: 1, saveFiles: { {} })
    }

    /// Creates responses from the third message on: bodies such as `"ok":{}`, or whole lines.
    init(
      _ bodies: [String],
      capabilities: [String] = `A program under test`.capabilities,
      errors: String = ""
    ) throws {
      let hello = WireHello(system: "mine", version: "1", capabilities: capabilities)
      let box = Box()
      system = ExternalSystem(hello) { () throws(ProgramError) in
        let greeting = WireCodec.encode(hello, id: 1)
        let lines = (["\"ok\":{}"] + bodies).enumerated()
          .map { offset, body in
            body.hasPrefix("{") ? body : "{\"id\":\(offset + 2),\(body)}"
          }
        let channel = ScriptedChannel([greeting] + lines)
        channel.lastErrors = errors
        box.channels.append(channel)
        return channel
      }
      self.box = box
      try reset()
    }

    private final class Box {
      var channels: [ScriptedChannel] = []
    }
    private let box: Box

    var launches: [ScriptedChannel] { box.channels }

    func reset() throws {
      var header = PlanHeader(
        model: Model(unchecked: [Entity("Item", [Attribute("title", .string)])]),
        actors: [PlannedActor("app", author: "app"), PlannedActor("widget", author: "widget")]
      )
      header.consumers = ["mirror"]
      try system.reset(header, environment)
    }

    func perform(_ actions: Action...) throws -> [EventKind] {
      let before = log.events.count
      for action in actions { try system.perform(action, &log) }
      return log.events[before...].map(\.kind)
    }
  }

  private static let insert = Action.write(
    PlannedWrite(
      actor: "app",
      changes: [PlannedChange(.insert, ObjectName("Item", 1), ["title": .string("a")])]
    )
  )
  private static let written =
    #""ok":{"transaction":"t1","timestamp":5,"changes":[{"op":"insert","object":"Item/1"}]}"#

  @Test func `An external system's responses become events`() throws {
    let bench = try Bench([
      #""ok":{"cursor":null}"#, Self.written, #""ok":{"transactions":["t1"]}"#,
      #""ok":{"transactions":["t1"]}"#, #""ok":{"cursor":"t1"}"#, #""ok":{"purged":["t1"]}"#,
      #""ok":{"transactions":[]}"#, #""ok":{"objects":{"Item/1":{"title":"a"}}}"#, #""ok":{}"#,
      #""ok":{"cursor":"t1"}"#,
    ])
    let reported = try bench.perform(
      .launch("widget"),
      Self.insert,
      .fetch("widget"),
      .merge("widget"),
      .record("widget"),
      .purge("widget"),
      .history,
      .view("widget", context: "view"),
      .crash("widget"),
      .launch("widget")
    )
    guard reported.count == 10, case .committed(let transaction) = reported[1] else {
      Issue.record("\(reported)")
      return
    }
    #expect(reported[0] == .registered(cursor: nil))
    #expect(transaction.author == "app" && transaction.context == "view")
    #expect(transaction.changes == [CommittedChange(.insert, ObjectName("Item", 1))])
    #expect(
      Array(reported[2...]) == [
        .fetched(["t1"]), .merged(["t1"]), .recorded(cursor: "t1"), .purged(["t1"]), .history([]),
        .viewed(context: "view", [ObjectName("Item", 1): ["title": .string("a")]]), .crashed,
        .launched(cursor: "t1"),
      ]
    )
  }

  @Test func `Without its own clock an external system uses the lab's times`() throws {
    let bench = try Bench([
      Self.written, #""ok":{"transactions":[{"transaction":"t1","timestamp":5,"changes":[]}]}"#,
    ])
    let reported = try bench.perform(Self.insert, .history)
    guard case .committed(let transaction) = reported[0], case .history(let held) = reported[1]
    else {
      Issue.record("\(reported)")
      return
    }
    #expect(transaction.timestamp == PlanClock.start)
    #expect(held.map(\.timestamp) == [PlanClock.start])
  }

  @Test func `A whole pass is reported as its steps`() throws {
    let bench = try Bench([
      Self.written, #""ok":{"transactions":["t1"],"cursor":"t1","purged":["t1"]}"#,
    ])
    let reported = try bench.perform(Self.insert, .pass("widget"))
    #expect(
      Array(reported[1...]) == [.merged(["t1"]), .recorded(cursor: "t1"), .purged(["t1"])]
    )
  }

  @Test func `An error belongs to its command and includes earlier events`() throws {
    let bench = try Bench([
      Self.written,
      #""error":{"code":"failed","message":"hook","done":{"fetched":["t1"],"observed":["t1"]}}"#,
      #""error":{"code":"expired","message":"gone"}"#,
    ])
    _ = try bench.perform(Self.insert)
    let failure = #expect(throws: SystemFailure.self) { try bench.perform(.pass("widget")) }
    #expect(failure == SystemFailure(.failed, "hook"))
    #expect(bench.log.events.dropFirst().map(\.kind) == [.fetched(["t1"]), .observed(["t1"])])
    #expect(throws: SystemFailure.self) { try bench.perform(.fetch("widget")) }
    #expect(bench.log.events.last?.kind == .expired)
    #expect(bench.system.runFailure == nil)
  }

  @Test(arguments: [
    (#""ok":{"transactions":["t9"]}"#, "names the transaction \"t9\", which no answer to a write"),
    (#""ok":{"transactions":"t9"}"#, "\"transactions\" of the answer to \"fetch\" is \"t9\""),
    (#""ok":3"#, "Make it an object, unless there is \"error\""),
    (#"{"id":77,"ok":{"transactions":[]}}"#, "the message had 3"),
    ("{nonsense", "this is not JSON"),
  ])
  func `After an invalid response the program gets no request until the next plan`(
    _ body: String,
    _ sentence: String
  ) throws {
    let bench = try Bench([body, Self.written], errors: "Traceback: no\nSuch thing")
    let failure = #expect(throws: SystemFailure.self) { try bench.perform(.fetch("widget")) }
    #expect(failure?.code == .crashed)
    let runFailure = try #require(bench.system.runFailure)
    #expect(runFailure.description.contains(sentence), "\(runFailure)")
    #expect(runFailure.description.contains("On standard error: Traceback: no | Such thing"))
    #expect(throws: SystemFailure.self) { try bench.perform(Self.insert) }
    #expect(bench.launches.count == 1 && bench.launches[0].isClosed)
    #expect(bench.launches[0].asked.count == 3)
    try bench.reset()
    #expect(bench.system.runFailure == nil && bench.launches.count == 2)
  }

  @Test func `A duplicate transaction name makes the response invalid`() throws {
    let bench = try Bench([Self.written, Self.written])
    _ = try bench.perform(Self.insert)
    #expect(throws: SystemFailure.self) { try bench.perform(Self.insert) }
    #expect(bench.system.runFailure?.clause.contains("which an earlier write already has") == true)
  }

  @Test func `Silence is reported with the message and the last output`() throws {
    let bench = try Bench([Self.written])
    _ = try bench.perform(Self.insert)
    #expect(throws: SystemFailure.self) { try bench.perform(.data) }
    let reported = try #require(bench.system.runFailure).description
    #expect(
      reported.hasPrefix(#"it was silent for a second, after {"do":"data","id":4,"#),
      "\(reported)"
    )
    #expect(reported.contains(#"Its last line: {"id":3,"ok":{"transaction":"t1""#))
  }

  @Test func `A system with hooks is asked to recover, and one with a clock to advance it`()
    throws
  {
    let plain = try Bench([])
    plain.system.recover()
    #expect(try plain.perform(.clock(advance: 5)) == [])
    #expect(plain.launches[0].asked.count == 2)
    let able = try Bench([#""ok":{}"#, #""ok":{"now":3}"#], capabilities: ["hooks", "clock"])
    able.clock.now += 5
    able.system.recover()
    #expect(try able.perform(.clock(advance: 5)) == [])
    #expect(able.launches[0].asked[2] == #"{"do":"heal","id":3,"now":800000005}"#)
    #expect(able.launches[0].asked[3] == #"{"advance":5,"do":"clock","id":4,"now":800000005}"#)
  }

  @Test func `Capabilities that the lab cannot control are not offered`() {
    let hello = WireHello(
      system: "a",
      version: "1",
      capabilities: Capability.allCases.map(\.rawValue) + ["unheard-of"]
    )
    let held: Set<Capability> = [
      .faults, .powerOff, .belated, .queries, .readings, .suspend, .relations,
    ]
    #expect(hello.abilities == Set(Capability.allCases).subtracting(held))
  }

  @Test func `An external system's state can be neither saved nor compared`() throws {
    let bench = try Bench([])
    #expect(throws: SystemFailure.self) { try bench.system.snapshot() }
    #expect(throws: SystemFailure.self) { try bench.system.digest() }
  }
}
