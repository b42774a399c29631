import Checkers
import PersistentHistory
import Systems
import Traces

/// What a program is asked, from its greeting to its end: each command, in the simplest case that there
/// is.
struct ProtocolScript {
  private var talk: ProtocolTalk
  private var first: TransactionName?
  private var second: TransactionName?

  private static let app = ActorID("app")
  private static let widget = ActorID("widget")
  private static let mirror = ActorID("mirror")
  private static let item = ObjectName("Item", 1)
  private static let other = ObjectName("Item", 2)

  init(_ channel: any WireChannel, command: String) {
    let item = Entity(
      "Item",
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int),
      ]
    )
    var header = PlanHeader(
      model: Model(unchecked: [item]),
      actors: [PlannedActor(Self.app, author: "app"), PlannedActor(Self.widget, author: "widget")]
    )
    header.consumers = [Self.mirror]
    talk = ProtocolTalk(channel, command: command, header)
  }

  /// Has the whole conversation.
  mutating func run() -> ProtocolReport {
    do throws(ProtocolTalk.Ended) {
      try talk.greet()
      guard talk.report.system != nil else { return talk.report }
      try talk.askNonsense()
      try start()
      try insert()
      try follow()
      try update()
      try restart()
      try purge()
      try writeOtherwise()
      try readOtherwise()
      try end()
    } catch { talk.end(error) }
    return talk.report
  }

  // MARK: The parts

  private mutating func start() throws(ProtocolTalk.Ended) {
    _ = try talk.ask(.reset(talk.header))
    for actor in [Self.app, Self.widget] {
      let answer = try talk.ask(.command(.launch(actor)))
      talk.expect(
        "launch",
        answer.map { $0.cursor?.transaction == nil } ?? true,
        "on an empty history the cursor is null"
      )
    }
    let answer = try talk.ask(.command(.data))
    talk.expect("reset", answer?.objects?.isEmpty ?? true, "afterwards the data must be empty")
  }

  private mutating func insert() throws(ProtocolTalk.Ended) {
    let values: Values = ["title": .string("é \"1\""), "count": .int(1)]
    let write = Self.write(Self.app, .insert, Self.item, values)
    let told = try committed(by: .write(write), "write")
    first = told?.name
    if let told {
      talk.expect(
        "write",
        told.changes.map(\.object) == [Self.item] && told.changes.map(\.type) == [.insert],
        "the insert of \(Self.item) must be told as the only change"
      )
    }
    let again = try talk.ask(.command(.write(write)))
    talk.expect(
      "write",
      again.map { Self.isEffectless($0.write) } ?? true,
      "an insert of an object that is there must be left out: no transaction, or one without changes"
    )
    try expectData([Self.item: values], after: "write")
    let view = try talk.ask(.command(.view(Self.app, context: "view")))
    talk.expect(
      "view",
      view.map { Self.isSame($0.objects, [Self.item: values]) } ?? true,
      "the view of who wrote must hold what was written, and nothing else"
    )
  }

  /// The other actor reads what the first one wrote.
  private mutating func follow() throws(ProtocolTalk.Ended) {
    let wanted = [first].compactMap(\.self)
    if talk.abilities.contains(.steps) {
      let fetched = try talk.ask(.command(.fetch(Self.widget)))
      expect("fetch", fetched?.transactions, holds: wanted)
      let merged = try talk.ask(.command(.merge(Self.widget)))
      expect("merge", merged?.transactions, holds: wanted)
      let recorded = try talk.ask(.command(.record(Self.widget)))
      talk.expect(
        "record",
        recorded.map { $0.cursor != nil } ?? true,
        "after a merge the answer must have \"cursor\""
      )
      let again = try talk.ask(.command(.fetch(Self.widget)))
      talk.expect(
        "fetch",
        again.map { !($0.transactions ?? []).contains { wanted.contains($0) } } ?? true,
        "what was merged and recorded must not be fetched again"
      )
    } else {
      talk.pass(over: ["fetch", "merge", "record"], lacking: .steps)
      try pass(Self.widget, holding: wanted)
    }
    let view = try talk.ask(.command(.view(Self.widget, context: "view")))
    talk.expect(
      talk.abilities.contains(.steps) ? "merge" : "pass",
      view.map { $0.objects?[Self.item] != nil } ?? true,
      "afterwards the view must hold \(Self.item)"
    )
  }

  private mutating func pass(
    _ actor: ActorID,
    holding wanted: [TransactionName]
  ) throws(ProtocolTalk.Ended) {
    guard let answer = try talk.ask(.command(.pass(actor))) else { return }
    expect("pass", answer.transactions, holds: wanted)
    talk.expect(
      "pass",
      wanted.isEmpty || answer.cursor != nil,
      "after a merge the answer must have \"cursor\""
    )
    talk.expect("pass", answer.purged != nil, "the answer must have \"purged\", empty or not")
  }

  private mutating func update() throws(ProtocolTalk.Ended) {
    let write = Self.write(Self.widget, .update, Self.item, ["count": .int(2)])
    let told = try committed(by: .write(write), "write")
    second = told?.name
    if let told {
      let change = told.changes.first
      talk.expect(
        "write",
        told.name != first && told.changes.count == 1 && change?.type == .update,
        "an update must be told as the only change, with a transaction of its own"
      )
      talk.expect(
        "write",
        change.map { $0.columns.isEmpty || $0.columns == ["count"] } ?? true,
        "an update that sets \"count\" has the columns [\"count\"]"
      )
    }
    try pass(Self.app, holding: [second].compactMap(\.self))
    let view = try talk.ask(.command(.view(Self.app, context: "view")))
    talk.expect(
      "pass",
      view?.objects?[Self.item].map { ($0["count"] ?? .null).isSame(as: .int(2)) } ?? true,
      "afterwards the view must hold what the other actor wrote"
    )
  }

  private mutating func restart() throws(ProtocolTalk.Ended) {
    _ = try talk.ask(.command(.stop(Self.widget)))
    try launchAgain()
    guard talk.abilities.contains(.crash) else {
      return talk.pass(over: ["crash"], lacking: .crash)
    }
    _ = try talk.ask(.command(.crash(Self.widget)))
    try launchAgain()
  }

  private mutating func launchAgain() throws(ProtocolTalk.Ended) {
    guard let answer = try talk.ask(.command(.launch(Self.widget))) else { return }
    let name = answer.cursor?.transaction
    talk.expect(
      "launch",
      name == nil || name == first || name == second,
      "the cursor is null or a transaction that a write was answered with"
    )
    let view = try talk.ask(.command(.view(Self.widget, context: "view")))
    talk.expect(
      "launch",
      view.map { $0.objects?[Self.item] != nil } ?? true,
      "an actor that starts again loads its view anew"
    )
  }

  private mutating func purge() throws(ProtocolTalk.Ended) {
    var purged: [TransactionName] = []
    if talk.abilities.contains(.purge) {
      purged = try talk.ask(.command(.purge(Self.app)))?.purged ?? []
      talk.expect(
        "purge",
        purged.allSatisfy { [first, second].contains($0) },
        "only transactions that are there can be purged"
      )
    } else {
      talk.pass(over: ["purge"], lacking: .purge)
    }
    guard talk.abilities.contains(.history) else {
      return talk.pass(over: ["history"], lacking: .history)
    }
    guard let held = try talk.ask(.command(.history))?.history else { return }
    talk.expect(
      "purge",
      held.allSatisfy { !purged.contains($0.name) },
      "history must not hold what was purged"
    )
    talk.expect(
      "history",
      held.allSatisfy { [first, second].contains($0.name) || $0.changes.isEmpty },
      "it must hold the transactions that writes were answered with, and no others"
    )
    for transaction in held where !transaction.changes.isEmpty {
      talk.expect(
        "history",
        transaction.author == (transaction.name == first ? "app" : "widget"),
        "the transaction \(transaction.name) must have the author who wrote it"
      )
    }
  }

  private mutating func writeOtherwise() throws(ProtocolTalk.Ended) {
    let values: Values = ["title": .string("2"), "count": .int(7)]
    if talk.abilities.contains(.begin) {
      _ = try talk.ask(
        .command(.begin(Self.write(Self.app, .insert, Self.other, values)))
      )
      let before = try talk.ask(.command(.data))
      talk.expect(
        "begin",
        before.map { $0.objects?[Self.other] == nil } ?? true,
        "what was begun must not be in the data before its commit"
      )
      _ = try committed(by: .commit(Self.app), "commit")
    } else {
      talk.pass(over: ["begin", "commit"], lacking: .begin)
      _ = try committed(
        by: .write(Self.write(Self.app, .insert, Self.other, values)),
        "write"
      )
    }
    try batch()
    if talk.abilities.contains(.nullAuthor) {
      var write = Self.write(Self.app, .update, Self.item, ["count": .int(9)])
      write.author = .absent
      let told = try committed(by: .write(write), "write")
      talk.expect("write", told.map { $0.author == nil } ?? true, "its author must be null")
    }
    let told = try committed(
      by: .write(Self.write(Self.app, .delete, Self.item, [:])),
      "write"
    )
    talk.expect(
      "write",
      told.map { $0.changes.map(\.type) == [.delete] } ?? true,
      "a delete must be told as the only change"
    )
    let after = try talk.ask(.command(.data))
    talk.expect(
      "data",
      after.map { $0.objects?[Self.item] == nil } ?? true,
      "an object that was deleted must be gone"
    )
  }

  private mutating func batch() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.batch) else {
      return talk.pass(over: ["batch"], lacking: .batch)
    }
    let batch = PlannedBatch(
      actor: Self.app,
      type: .update,
      entity: "Item",
      conditions: [.compare("count", .equal, .int(7))],
      values: ["title": .string("seven")]
    )
    let told = try committed(by: .batch(batch), "batch")
    talk.expect(
      "batch",
      told.map { $0.changes.map(\.object) == [Self.other] } ?? true,
      "it must change the objects that match, and no others"
    )
  }

  private mutating func readOtherwise() throws(ProtocolTalk.Ended) {
    if talk.abilities.contains(.consume) {
      let launched = try talk.ask(.command(.launch(Self.mirror)))
      let told = try committed(
        by: .write(Self.write(Self.app, .update, Self.other, ["count": .int(8)])),
        "write"
      )
      let consumed = try talk.ask(.command(.consume(Self.mirror)))
      if launched != nil, let told { expect("consume", consumed?.transactions, holds: [told.name]) }
    } else {
      talk.pass(over: ["consume"], lacking: .consume)
    }
    if talk.abilities.contains(.resync) {
      _ = try talk.ask(.command(.resync(Self.widget)))
      let view = try talk.ask(.command(.view(Self.widget, context: "view")))
      talk.expect(
        "resync",
        view.map { $0.objects?[Self.item] == nil && $0.objects?[Self.other] != nil } ?? true,
        "afterwards the view must equal the data"
      )
    } else {
      talk.pass(over: ["resync"], lacking: .resync)
    }
    guard talk.abilities.contains(.clock) else {
      return talk.pass(over: ["clock"], lacking: .clock)
    }
    let day = 86_400.0
    _ = try talk.ask(.command(.clock(advance: day)), tick: day)
    let now = talk.now
    let told = try committed(
      by: .write(Self.write(Self.app, .update, Self.other, ["count": .int(10)])),
      "write"
    )
    talk.expect(
      "clock",
      told.map { abs($0.timestamp - now) < day / 2 } ?? true,
      "a write must have the time that the plan's clock reads (the key \"now\")"
    )
  }

  private mutating func end() throws(ProtocolTalk.Ended) {
    _ = try talk.ask(.command(.retire(Self.widget)))
    _ = try talk.ask(.reset(talk.header))
    let answer = try talk.ask(.command(.data))
    talk.expect("reset", answer?.objects?.isEmpty ?? true, "afterwards the data must be empty")
  }
}

extension ProtocolScript {
  // MARK: Helpers

  /// Asks for a write that takes effect, and answers its transaction.
  private mutating func committed(
    by action: Action,
    _ word: String
  ) throws(ProtocolTalk.Ended) -> CommittedTransaction? {
    guard let answer = try talk.ask(.command(action)) else { return nil }
    guard case .committed(let told)? = answer.write else {
      talk.expect(word, false, "a write that takes effect must be answered with its transaction")
      return nil
    }
    return told
  }

  private mutating func expect(
    _ word: String,
    _ names: [TransactionName]?,
    holds wanted: [TransactionName]
  ) {
    guard let names, let missing = wanted.first(where: { !names.contains($0) }) else { return }
    talk.expect(word, false, "it must name the transaction \(missing), which another actor wrote")
  }

  private mutating func expectData(
    _ objects: Objects,
    after word: String
  ) throws(ProtocolTalk.Ended) {
    guard let answer = try talk.ask(.command(.data)) else { return }
    talk.expect(
      "data",
      Self.isSame(answer.objects, objects),
      "after the first \(word) it must hold what was written, and nothing else"
    )
  }

  private static func isSame(_ told: Objects?, _ wanted: Objects) -> Bool {
    guard let told, Set(told.keys) == Set(wanted.keys) else { return false }
    return wanted.allSatisfy { object, values in
      values.allSatisfy { ($0.value).isSame(as: told[object]?[$0.key] ?? .null) }
    }
  }

  private static func isEffectless(_ write: WireWrite?) -> Bool {
    if case .committed(let told)? = write { told.changes.isEmpty } else { true }
  }

  private static func write(
    _ actor: ActorID,
    _ type: ChangeType,
    _ object: ObjectName,
    _ values: Values
  ) -> PlannedWrite {
    PlannedWrite(actor: actor, changes: [PlannedChange(type, object, values)])
  }
}
