import HistoryTypes
import Traces

/// Writes a trace command by command, as a simulation does.
struct TraceScript {
  var plan: Plan
  var events: [Event] = []
  private var tick = 0

  init(_ actors: [ActorID], consumers: [ActorID] = []) throws {
    let model = try Model([
      Entity("Item", [Attribute("title", .string), Attribute("count", .int)])
    ])
    var header = PlanHeader(
      model: model,
      actors: actors.map { PlannedActor($0, author: $0.name) }
    )
    header.consumers = consumers
    header.seed = 0x2a
    plan = Plan(header: header, commands: [])
    for actor in actors { happen(actor, .registered(cursor: nil)) }
  }

  mutating func happen(_ actor: ActorID?, _ kind: EventKind) {
    events.append(Event(at: events.count, tick: tick, actor: actor, kind))
  }

  /// Adds one command, its events, and its end.
  mutating func run(_ action: Action, _ kinds: EventKind..., outcome: Outcome = .ok) {
    let position = plan.commands.count
    plan.commands.append(Command(action))
    happen(action.actor, .called(command: position, word: action.word))
    for kind in kinds { happen(action.actor, kind) }
    happen(action.actor, .ended(command: position, outcome))
    tick += 1
  }

  /// Adds one of the closing passes and reads, without a command of the plan.
  mutating func close(_ actor: ActorID?, _ word: String, _ kind: EventKind) {
    happen(actor, .called(command: nil, word: word))
    happen(actor, kind)
    happen(actor, .ended(command: nil, .ok))
    tick += 1
  }

  mutating func insert(_ actor: ActorID, _ key: Int64, _ title: Value, as name: String) {
    let write = PlannedWrite(
      actor: actor,
      changes: [PlannedChange(.insert, ObjectName("Item", key), ["title": title])]
    )
    run(.write(write), .committed(committed(name, by: actor)))
  }

  func committed(_ name: String, by actor: ActorID) -> CommittedTransaction {
    CommittedTransaction(
      name: name,
      author: actor.name,
      context: nil,
      writer: nil,
      timestamp: 1,
      changes: []
    )
  }

  /// The counterexample that ends at the last event of a kind.
  func broken(
    _ checker: String,
    because: String,
    transaction: String? = nil,
    at isLoss: (EventKind) -> Bool
  ) -> Counterexample {
    let at = events.lastIndex { isLoss($0.kind) } ?? 0
    return Counterexample(
      trace: Trace(header: TraceHeader(plan: plan, system: "article"), events: events),
      violation: Violation(
        checker: checker,
        at: at,
        because: because,
        transaction: transaction
      )
    )
  }
}

enum CounterexampleSamples {
  /// Three actors and a consumer; widget purges what app has not merged.
  static func purge() throws -> Counterexample {
    var script = try TraceScript(["app", "widget", "share"], consumers: ["mirror"])
    script.insert("share", 3, "a", as: "1")
    let write = PlannedWrite(
      actor: "app",
      context: "background",
      author: .other("photos"),
      changes: [
        PlannedChange(
          .update,
          ObjectName("Item", 3),
          ["title": "a longer title than fits", "count": 7]
        ),
        PlannedChange(.delete, ObjectName("Item", 12)),
      ]
    )
    script.run(.write(write), .committed(script.committed("2", by: "app")))
    script.run(.fetch("widget"), .fetched(["1", "2"]))
    script.run(.consume("mirror"), .consumed(["1"]))
    script.run(.clock(advance: 86_400))
    script.run(.merge("widget"), .merged(["1", "2"]))
    script.run(.crash("share"), .crashed)
    script.run(.record("widget"), .recorded(cursor: "2"))
    script.run(.purge("widget"), .purged(["1", "2"]))
    for actor in ["app", "widget"] as [ActorID] {
      script.close(actor, "fetch", .fetched([]))
      script.close(actor, "merge", .merged([]))
      script.close(actor, "record", .recorded(cursor: "2"))
    }
    return script.broken(
      "PurgeSafety",
      because: "share wrote #1; widget merged through #2 and purged #1 before app had merged it",
      transaction: "1"
    ) { $0 == .purged(["1", "2"]) }
  }

  /// Two actors; after the closing passes a view lacks a written object.
  static func convergence() throws -> Counterexample {
    var script = try TraceScript(["app", "widget"])
    script.insert("app", 1, "a", as: "1")
    script.run(
      .pass("widget"),
      .fetched(["1"]),
      .observed(["1"]),
      .merged(["1"]),
      .recorded(cursor: "1")
    )
    script.run(.pass("app"), .fetched([]), .merged([]), .recorded(cursor: "1"))
    script.insert("app", 2, "b", as: "2")
    script.run(.purge("app"), outcome: .failed(SystemFailure(.busy, "the store was locked")))
    script.close("widget", "fetch", .fetched([]))
    script.close(nil, "data", .data(items([1: "a", 2: "b"])))
    script.close("app", "view", .viewed(context: "view", items([1: "a", 2: "b"])))
    script.close("widget", "view", .viewed(context: "view", items([1: "z"])))
    return script.broken("Convergence", because: "widget's view lacks Item/2") {
      if case .viewed = $0 { true } else { false }
    }
  }

  /// More actors than columns.
  static func crowd() throws -> Counterexample {
    let actors = (1...8).map { ActorID("extension\($0)") }
    var script = try TraceScript(actors)
    script.insert(actors[0], 1, "a", as: "1")
    for actor in actors { script.run(.pass(actor), .fetched(["1"]), .merged(["1"])) }
    script.run(.purge(actors[1]), .purged(["1"]))
    return script.broken("PurgeSafety", because: "it was early!", transaction: "1") {
      $0 == .purged(["1"])
    }
  }
}

extension CounterexampleSamples {
  /// Names and texts that try to break the table, and double-width characters.
  static func hostile() throws -> Counterexample {
    var script = try TraceScript(["app\n\u{1b}[31mred", "部件", "e\u{301}xtension"])
    script.insert("部件", .max, .string("\u{1b}[2J\r\n\u{202e}漢字漢字漢字漢字漢字"), as: "1\u{7}")
    script.run(.purge("部件"), .purged(["1\u{7}"]))
    return script.broken(
      "PurgeSafety",
      because: "x\ny \u{9b}31m" + String(repeating: "z", count: 300),
      transaction: "1\u{7}"
    ) { $0 == .purged(["1\u{7}"]) }
  }

  /// A trace that contains a text wherever possible.
  static func reported(_ text: String) throws -> Counterexample {
    let actor = ActorID(text)
    var script = try TraceScript([actor, "widget"], consumers: [ActorID(text + "2")])
    script.insert(actor, 1, .string(text), as: text)
    script.run(.fetch("widget"), .fetched([text]))
    script.run(.purge("widget"), outcome: .failed(SystemFailure(.failed, text)))
    script.run(.purge(actor), .purged([text]))
    return script.broken(text, because: text, transaction: text) { $0 == .purged([text]) }
  }

  /// Objects with only a title, by key.
  static func items(_ titles: [Int64: String]) -> Objects {
    Dictionary(
      uniqueKeysWithValues: titles.map {
        (ObjectName("Item", $0.key), ["title": .string($0.value)])
      }
    )
  }
}
