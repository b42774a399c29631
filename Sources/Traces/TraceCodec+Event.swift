internal import HistoryTypes

extension CommittedTransaction {
  /// The keys of a transaction in a trace.
  static let keys = ["transaction", "author", "context", "writer", "timestamp", "changes"]
}

extension TraceCodec {
  /// Returns the event as one object; absent values are omitted.
  static func json(of event: Event) -> JSONValue {
    var members = json(of: event.kind)
    members["at"] = .integer(Int64(event.at))
    members["tick"] = .integer(Int64(event.tick))
    members["actor"] = event.actor.map { .string($0.name) }
    members["event"] = .string(event.kind.word.rawValue)
    return .object(members)
  }

  private static func json(of kind: EventKind) -> [String: JSONValue] {
    switch kind {
    case .called(let command, let word): json(ofCommand: command, ["do": .string(word)])
    case .ended(let command, let outcome): json(ofCommand: command, json(of: outcome))
    case .skipped(let command, let reason): json(ofCommand: command, ["because": .string(reason)])
    case .registered(let cursor), .launched(let cursor), .recorded(let cursor),
      .resynced(let cursor):
      json("cursor", of: cursor)
    case .recovered(let through), .passed(let through): json("through", of: through)
    case .damaged(let reason): ["because": .string(reason)]
    case .locks(let held): ["held": JSONValue(strings: held)]
    case .committed(let transaction): json(of: transaction)
    case .fetched(let names), .observed(let names), .merged(let names), .finished(let names),
      .consumed(let names), .purged(let names):
      ["transactions": JSONValue(strings: names)]
    case .viewed(let context, let objects):
      ["context": .string(context), "objects": json(of: objects)]
    case .data(let objects): ["objects": json(of: objects)]
    case .history(let held), .received(let held):
      ["transactions": .array(held.map { .object(json(of: $0)) })]
    case .answered(let answer):
      json("head", of: answer.head)
        .merging(["now": JSONValue(answer.now), "lines": JSONValue(strings: answer.lines)]) { $1 }
    case .listed(let report): json(of: report)
    case .fault(let fault): ["fault": PlanCodec.json(of: fault)]
    case .clock(let now): ["now": JSONValue(now)]
    case .stopped, .crashed, .retired, .suspended, .resumed, .wroteNothing, .lost, .expired,
      .rewound, .signalled, .woke:
      [:]
    }
  }

  private static func json(
    ofCommand position: Int?,
    _ members: [String: JSONValue]
  ) -> [String: JSONValue] {
    guard let position else { return members }
    return members.merging(["command": .integer(Int64(position))]) { $1 }
  }

  private static func json(_ key: String, of name: TransactionName?) -> [String: JSONValue] {
    name.map { [key: .string($0)] } ?? [:]
  }

  private static func json(of outcome: Outcome) -> [String: JSONValue] {
    switch outcome {
    case .ok: ["outcome": .string("ok")]
    case .failed(let failure): ["outcome": .string("failed"), "error": json(of: failure)]
    case .unknown(let failure): ["outcome": .string("unknown"), "error": json(of: failure)]
    }
  }

  private static func json(of failure: SystemFailure) -> JSONValue {
    ["code": .string(failure.code.rawValue), "message": .string(failure.message)]
  }

  /// Returns objects as one JSON object, with the objects' names as keys.
  static func json(of objects: Objects) -> JSONValue {
    let pairs = objects.map { ($0.key.description, JSONValue.object($0.value.mapValues(\.json))) }
    return .object(Dictionary(uniqueKeysWithValues: pairs))
  }

  /// Returns the keys and values that represent a transaction.
  static func json(of transaction: CommittedTransaction) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "transaction": .string(transaction.name), "timestamp": JSONValue(transaction.timestamp),
      "changes": .array(transaction.changes.map(json)),
    ]
    members["author"] = transaction.author.map(JSONValue.string)
    members["context"] = transaction.context.map(JSONValue.string)
    members["writer"] = transaction.writer.map(JSONValue.string)
    return members
  }

  private static func json(of change: CommittedChange) -> JSONValue {
    var members: [String: JSONValue] = [
      "op": .string(change.type.word), "object": .string(change.object.description),
    ]
    if !change.columns.isEmpty { members["columns"] = JSONValue(strings: change.columns) }
    if !change.values.isEmpty { members["values"] = .object(change.values.mapValues(\.json)) }
    members["tombstone"] = change.tombstone.map { .object($0.mapValues(\.json)) }
    return .object(members)
  }

  /// Reads an event; `commands` is the number of commands in the run's plan.
  static func event(
    _ fields: Fields,
    _ names: Vocabulary,
    commands: Int
  ) throws(FormatError) -> Event {
    let word = try fields.choice("event", as: EventWord.self)
    let named = fields.named("the event \"\(word.rawValue)\"")
    try named.allow(word.keys)
    let actor = try named.has("actor") ? names.member("actor", of: named) : nil
    let kind = try EventReader(fields: named, names: names, commands: commands).read(word)
    return Event(at: try named.count("at"), tick: try named.count("tick"), actor: actor, kind)
  }
}

/// A reader for the details of one event.
struct EventReader {
  let fields: Fields
  let names: Vocabulary
  /// The number of commands in the plan.
  let commands: Int

  /// Reads the details of an event; the switch has one case for each word, with the word's keys.
  func read(_ word: EventWord) throws(FormatError) -> EventKind {
    switch word {
    case .called: .called(command: try command(), word: try fields.string("do"))
    case .ended: .ended(command: try command(), try outcome())
    case .skipped: .skipped(command: try command(), because: try fields.string("because"))
    case .registered: .registered(cursor: try fields.string(ifAny: "cursor"))
    case .launched: .launched(cursor: try fields.string(ifAny: "cursor"))
    case .stopped: .stopped
    case .suspended: .suspended
    case .resumed: .resumed
    case .locks: .locks(held: try list("held"))
    case .crashed: .crashed
    case .retired: .retired
    case .committed: .committed(try transaction(fields))
    case .wroteNothing: .wroteNothing
    case .fetched: .fetched(try transactions())
    case .observed: .observed(try transactions())
    case .merged: .merged(try transactions())
    case .finished: .finished(try transactions())
    case .recorded: .recorded(cursor: try fields.string(ifAny: "cursor"))
    case .consumed: .consumed(try transactions())
    case .purged: .purged(try transactions())
    case .lost: .lost
    case .expired: .expired
    case .rewound: .rewound
    case .resynced: .resynced(cursor: try fields.string(ifAny: "cursor"))
    case .viewed:
      .viewed(context: try fields.string("context"), try names.objects(in: fields))
    case .data: .data(try names.objects(in: fields))
    case .history: .history(try history())
    case .received: .received(try history())
    case .passed: .passed(through: try fields.string(ifAny: "through"))
    case .answered:
      .answered(
        QueryAnswer(
          head: try fields.string(ifAny: "head"),
          now: try fields.seconds("now"),
          lines: try fields.strings(ifAny: "lines") ?? []
        )
      )
    case .listed: .listed(try report())
    case .signalled: .signalled
    case .woke: .woke
    case .recovered: .recovered(through: try fields.string(ifAny: "through"))
    case .damaged: .damaged(because: try fields.string("because"))
    case .fault: .fault(try fault())
    case .clock: .clock(now: try fields.seconds("now"))
    }
  }

  private func command() throws(FormatError) -> Int? {
    guard let position = try fields.count(ifAny: "command") else { return nil }
    guard position < commands else {
      throw fields.place.error(
        "\(fields.what) belongs to command \(position), and the number of commands is \(commands)",
        "Count commands from 0, or copy the file again if lines of the plan are missing."
      )
    }
    return position
  }

  private func transactions() throws(FormatError) -> [TransactionName] {
    try list("transactions")
  }

  private func list(_ key: String) throws(FormatError) -> [String] {
    guard let list = try fields.strings(ifAny: key) else {
      throw fields.place.error(
        "\(fields.what) lacks the key \"\(key)\"",
        "Add it with a list of strings."
      )
    }
    return list
  }

  private func outcome() throws(FormatError) -> Outcome {
    let word = try fields.string("outcome")
    switch word {
    case "ok": return .ok
    case "failed": return .failed(try failure())
    case "unknown": return .unknown(try failure())
    default:
      throw fields.place.error(
        "\"outcome\" of \(fields.what) cannot be \"\(word)\"",
        Fields.advice(word, ["ok", "failed", "unknown"])
      )
    }
  }

  private func failure() throws(FormatError) -> SystemFailure {
    let members = try fields.need("error", "an object with a code and a message", \.members)
    let error = Fields(members, as: "the error", at: fields.place)
    try error.allow(["code", "message"])
    return SystemFailure(
      try error.choice("code", as: SystemFailure.Code.self),
      try error.string("message")
    )
  }

  private func fault() throws(FormatError) -> PlannedFault {
    let members = try fields.need("fault", "an object", \.members)
    return try PlanCodec.fault(Fields(members, as: "the fault", at: fields.place))
  }

  func history() throws(FormatError) -> [CommittedTransaction] {
    _ = try fields.need("transactions", "a list of transactions", \.elements)
    return try fields.objects("transactions", as: "transaction")
      .map { (held) throws(FormatError) in
        try held.allow(CommittedTransaction.keys)
        return try transaction(held)
      }
  }

  /// Reads one transaction from the values of its keys.
  func transaction(_ fields: Fields) throws(FormatError) -> CommittedTransaction {
    _ = try fields.need("changes", "a list of changes", \.elements)
    let changes = try fields.objects("changes", as: "change")
      .map { (fields) throws(FormatError) in try change(fields) }
    return CommittedTransaction(
      name: try fields.string("transaction"),
      author: try fields.string(ifAny: "author"),
      context: try fields.string(ifAny: "context"),
      writer: try fields.string(ifAny: "writer"),
      timestamp: try fields.seconds("timestamp"),
      changes: changes
    )
  }

  private func change(_ fields: Fields) throws(FormatError) -> CommittedChange {
    try fields.allow(["op", "object", "columns", "values", "tombstone"])
    let object = try names.object(try fields.string("object"), of: fields)
    let columns = try fields.strings(ifAny: "columns") ?? []
    for column in columns { _ = try names.type(of: column, in: object.entity, of: fields) }
    return CommittedChange(
      try fields.changeType(),
      object,
      columns: columns,
      values: try names.values("values", of: object.entity, in: fields) ?? [:],
      tombstone: try names.values("tombstone", of: object.entity, in: fields)
    )
  }
}
