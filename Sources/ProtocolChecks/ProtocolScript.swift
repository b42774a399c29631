import Basics
import Checkers
import HistoryTypes
package import Programs
import Systems
import Traces

/// The conversation that `protocol check` has with a program: each command in its simplest case.
package struct ProtocolScript {
  var talk: ProtocolTalk
  var model: ProtocolModel
  /// The name of the first transaction after the first reset; `nil` until it is known.
  private var firstName: TransactionName?
  /// The newest write message, with the answer to it.
  var lastWrite = ProtocolExchange.none
  /// The actors whose views were wrong at their last check; a view that stays wrong is reported once.
  var stale: Set<ActorID> = []

  static let app = ActorID("app")
  static let widget = ActorID("widget")
  /// An actor that launches late, to detect a program that launches actors without a `launch` message.
  static let share = ActorID("share")
  static let mirror = ActorID("mirror")
  static let item = ObjectName("Item", 1)
  static let other = ObjectName("Item", 2)

  package init(_ channel: any WireChannel, command: String) {
    let item = Entity(
      "Item",
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int),
      ]
    )
    var header = PlanHeader(
      model: Model(unchecked: [item]),
      actors: [
        PlannedActor(Self.app, author: "app"), PlannedActor(Self.widget, author: "widget"),
        PlannedActor(Self.share, author: "share", launched: false),
      ]
    )
    header.consumers = [Self.mirror]
    talk = ProtocolTalk(channel, command: command, header)
    model = ProtocolModel(header)
  }

  /// Runs the whole conversation and returns the report.
  package mutating func run() -> ProtocolReport {
    do throws(ProtocolTalk.Ended) {
      try talk.greet()
      if talk.report.system != nil {
        try talk.askNonsense()
        try start()
        try follow()
        try update()
        try writeNetChanges()
        try restart()
        try purge()
        try askWhatIsOffered()
        try end()
      }
    } catch { talk.end(error) }
    noteRest()
    return talk.report
  }

  private mutating func askWhatIsOffered() throws(ProtocolTalk.Ended) {
    try begin()
    try batch()
    try omitAuthor()
    try delete()
    try consume()
    try resync()
    try moveClock()
  }

  /// Every command that the conversation may contain, in the order of the report.
  private static let commands = [
    "hello", "a command that is not known", "reset", "launch", "data", "write", "view", "fetch",
    "merge", "record", "pass", "stop", "crash", "history", "purge", "begin", "commit", "batch",
    "consume", "resync", "clock", "retire",
  ]

  /// Sorts the results in the order of `commands`, and adds the commands that were not sent.
  private mutating func noteRest() {
    let known = Dictionary(talk.report.results.map { ($0.command, $0) }) { first, _ in first }
    talk.report.results = Self.commands.map { command in
      known[command] ?? ProtocolResult(command: command, status: .notAsked)
    }
  }

  // MARK: The parts

  /// Resets the program, launches two actors, and inserts an object.
  private mutating func start() throws(ProtocolTalk.Ended) {
    talk.now = PlanClock.start
    model = ProtocolModel(talk.header)
    model.firstName = firstName
    stale = []
    if case .refused(let failure) = try talk.ask(.reset(talk.header)) {
      throw ProtocolTalk.Ended(reason: "The program answered \"reset\" with \(failure).")
    }
    for actor in [Self.app, Self.widget] { try launch(actor, isFirst: true) }
    try checkData(after: "reset", "after a reset the data must be empty")
    let values: Values = ["title": .string("é \"1\""), "count": .int(1)]
    let insert = Self.write(Self.app, .insert, Self.item, values)
    let name = try write(insert)
    talk.expect(
      "reset",
      firstName == nil || name == nil || firstName == name,
      "the same messages after each reset must have the same answers, but the first write was "
        + "answered with the transaction \((firstName ?? "").quoted) before and "
        + "\((name ?? "").quoted) now",
      in: lastWrite
    )
    firstName = firstName ?? name
    try checkView(Self.app, blaming: "view", "the view of the actor that wrote must be up to date")
  }

  /// Launches an actor, and checks its cursor and its view.
  mutating func launch(_ actor: ActorID, isFirst: Bool = false) throws(ProtocolTalk.Ended) {
    let empty = "While history is empty the cursor must be null."
    let action = Action.launch(actor)
    let outcome = try talk.ask(
      .command(action),
      right: model.answer(to: action),
      hint: model.isEmpty ? empty : nil
    )
    if case .refused = outcome { return }
    model.launch(actor)
    stale.remove(actor)
    guard let answer = outcome.answer else { return }
    if isFirst {
      talk.expect(
        "reset",
        answer.isRegistered != false,
        "a reset must launch no actor, but the first launch after it has \"registered\":false"
      )
    }
    checkCursor(answer.cursor, of: "launch")
    guard !model.isEmpty else { return }
    try checkView(actor, blaming: "launch", "a launch must load the actor's view from the data")
  }

  /// Makes the second actor fetch, merge and record the transactions of the first actor.
  private mutating func follow() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.steps) else {
      talk.pass(over: ["fetch", "merge", "record"], lacking: .steps)
      return try pass(Self.widget)
    }
    let fetch = Action.fetch(Self.widget)
    let wanted = model.news(for: Self.widget)
    let fetched = try talk.ask(.command(fetch), right: model.answer(to: fetch))
    checkNames(fetched.answer?.transactions, of: "fetch", hold: wanted)
    model.fetch(Self.widget)
    let merge = Action.merge(Self.widget)
    let merged = try talk.ask(.command(merge), right: model.answer(to: merge))
    checkNames(merged.answer?.transactions, of: "merge", hold: wanted)
    model.merge(Self.widget)
    let isRight = merged.answer != nil && !talk.isBlamed(talk.last)
    let record = Action.record(Self.widget)
    let recorded = try talk.ask(.command(record), right: model.answer(to: record))
    checkProgress(recorded.answer, of: "record")
    model.record(Self.widget)
    let again = try talk.ask(.command(fetch), right: model.answer(to: fetch))
    let repeated = again.answer?.transactions?.first { wanted.contains($0) }
    talk.expect(
      "fetch",
      repeated == nil,
      "the transaction \((repeated ?? "").quoted) was merged and recorded, and must not be fetched "
        + "again"
    )
    guard isRight else { return }
    try checkView(Self.widget, blaming: "merge", "a merge must bring the view up to date")
  }

  /// Sends the message `pass`, which makes an actor fetch and merge new transactions and record its
  /// cursor, and checks the answer.
  mutating func pass(_ actor: ActorID) throws(ProtocolTalk.Ended) {
    let action = Action.pass(actor)
    let wanted = model.news(for: actor)
    let outcome = try talk.ask(.command(action), right: model.answer(to: action))
    model.pass(actor)
    guard let answer = outcome.answer else { return }
    talk.expect(
      "pass",
      answer.purged != nil,
      "the answer must have the key \"purged\", even if its list is empty"
    )
    checkNames(answer.transactions, of: "pass", hold: wanted)
    if !wanted.isEmpty { checkProgress(answer, of: "pass") }
    checkNames(answer.purged, of: "pass", hold: [])
    model.purge(answer.purged ?? [])
    guard !talk.isBlamed(talk.last) else { return }
    try checkView(actor, blaming: "pass", "a pass must bring the view up to date")
  }

  private mutating func update() throws(ProtocolTalk.Ended) {
    try write(Self.write(Self.widget, .update, Self.item, ["count": .int(2)]))
    try pass(Self.app)
  }

  private mutating func restart() throws(ProtocolTalk.Ended) {
    _ = try talk.ask(.command(.stop(Self.widget)))
    try launch(Self.widget)
    guard talk.abilities.contains(.crash) else {
      return talk.pass(over: ["crash"], lacking: .crash)
    }
    _ = try talk.ask(.command(.crash(Self.widget)))
    try launch(Self.widget)
  }

  private mutating func end() throws(ProtocolTalk.Ended) {
    _ = try talk.ask(.command(.retire(Self.widget)))
    try start()
  }
}

/// The checks that several parts of the conversation use.
extension ProtocolScript {
  /// Requests the program's data, and reports `command` as wrong if they are not as expected.
  ///
  /// The expected data are those of ``model``. A difference is not reported if `command` is `nil`,
  /// or if the model does not know the data. After any difference, the model adopts the program's
  /// data or, if no earlier answer was correct and contained objects, does not know them any more.
  mutating func checkData(
    after command: String?,
    _ sentence: String
  ) throws(ProtocolTalk.Ended) {
    let outcome = try talk.ask(.command(.data), right: model.answer(to: .data))
    guard let objects = outcome.answer?.objects else { return }
    guard let difference = Self.difference(objects, from: model.objects) else {
      if !objects.isEmpty { model.hasSeenData = true }
      return
    }
    if let command, model.knowsData { talk.blame(command, "\(sentence): \(difference)") }
    // Continue from the program's own data, so that an earlier fault does not affect the next
    // write's result.
    if model.hasSeenData { model.adopt(objects) } else { model.knowsData = false }
  }

  /// Requests an actor's view, and reports `command` as wrong if the view differs from the data.
  mutating func checkView(
    _ actor: ActorID,
    blaming command: String,
    _ sentence: String
  ) throws(ProtocolTalk.Ended) {
    let action = Action.view(actor, context: "view")
    let outcome = try talk.ask(.command(action), right: model.answer(to: action))
    guard model.knowsData, !talk.isWrong("view") else { return }
    // A replaced object may appear twice; the older copy then has a negative key.
    let objects = outcome.answer?.objects?.filter { $0.key.key >= 0 }
    guard let objects, let difference = Self.difference(objects, from: model.objects) else {
      if objects != nil { stale.remove(actor) }
      return
    }
    // Report only the first difference: later ones follow from it.
    guard stale.insert(actor).inserted else { return }
    talk.blame(command, "\(sentence): \(difference)")
  }

  /// Returns an error text for the first wrong object or value in an answer; `nil` for none.
  static func difference(_ reported: Objects, from right: Objects) -> String? {
    for object in Set(reported.keys).union(right.keys).sorted() {
      guard let values = right[object] else { return "\(object) must not exist" }
      guard let reportedValues = reported[object] else { return "\(object) is missing" }
      for name in Set(values.keys).union(reportedValues.keys).sorted() {
        let (value, other) = (values[name] ?? .null, reportedValues[name] ?? .null)
        guard value.isSame(as: other) else {
          return "\(name) of \(object) must be \(value), but is \(other)"
        }
      }
    }
    return nil
  }

  /// Reports wrong transactions in the answer to a command.
  ///
  /// These are unknown, repeated or missing transactions, and transactions in a wrong order.
  mutating func checkNames(
    _ names: [TransactionName]?,
    of command: String,
    hold wanted: [TransactionName]
  ) {
    guard let names else { return }
    if model.knowsNames, let unknown = names.first(where: { !model.isKnown($0) }) {
      talk.blame(command, Self.unknown(unknown))
    } else if let missing = wanted.first(where: { !names.contains($0) }) {
      talk.blame(
        command,
        "the answer must name the transaction \(missing.quoted), which another actor wrote"
      )
    } else if Set(names).count < names.count {
      talk.blame(command, "the answer names a transaction twice")
    } else if names.filter(wanted.contains) != wanted {
      talk.blame(command, "the answer must name the transactions in the order of their commits")
    }
  }

  private static func unknown(_ name: TransactionName) -> String {
    "the answer names the transaction \(name.quoted), which no answer to a write has returned"
  }

  /// Reports a cursor that names an unknown transaction, or any transaction while history is empty.
  mutating func checkCursor(_ cursor: WirePosition?, of command: String) {
    guard let name = cursor?.transaction, !model.isKnown(name) else { return }
    if model.isEmpty {
      talk.blame(command, "while history is empty the cursor must be null, but is \(name.quoted)")
    } else if model.knowsNames {
      talk.blame(command, Self.unknown(name))
    }
  }

  /// Checks the answer to a command that records a cursor.
  ///
  /// Reports the command as wrong if the answer has no cursor, or one with an unknown transaction.
  mutating func checkProgress(_ answer: WireAnswer?, of command: String) {
    guard let answer else { return }
    talk.expect(
      command,
      answer.cursor != nil,
      "after a merge the answer must have the key \"cursor\""
    )
    checkCursor(answer.cursor, of: command)
  }
}
