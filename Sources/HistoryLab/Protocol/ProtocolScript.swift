import Checkers
import PersistentHistory
import Systems
import Traces

/// What a program is asked, from its greeting to its end: each command, in the simplest case that there
/// is.
struct ProtocolScript {
  var talk: ProtocolTalk
  var first: TransactionName?
  var second: TransactionName?
  /// What was purged.
  var purged: [TransactionName] = []

  static let app = ActorID("app")
  static let widget = ActorID("widget")
  static let mirror = ActorID("mirror")
  static let item = ObjectName("Item", 1)
  static let other = ObjectName("Item", 2)

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
      try tellHistory()
      try begin()
      try batch()
      try omitAuthor()
      try delete()
      try consume()
      try resync()
      try moveClock()
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

  private mutating func delete() throws(ProtocolTalk.Ended) {
    let write = Self.write(Self.app, .delete, Self.item, [:])
    let told = try committed(by: .write(write), "write")
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

  private mutating func end() throws(ProtocolTalk.Ended) {
    _ = try talk.ask(.command(.retire(Self.widget)))
    _ = try talk.ask(.reset(talk.header))
    let answer = try talk.ask(.command(.data))
    talk.expect("reset", answer?.objects?.isEmpty ?? true, "afterwards the data must be empty")
  }
}
