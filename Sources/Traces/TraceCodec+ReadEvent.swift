internal import HistoryTypes

extension TraceCodec {
  /// Reads an event of a plan that has a number of commands.
  static func event(
    _ fields: Fields,
    _ names: Vocabulary,
    commands: Int
  ) throws(FormatError) -> Event {
    let word = try fields.choice("event", as: EventWord.self)
    let named = fields.named("the event \"\(word.rawValue)\"")
    try named.allow(word.keys)
    let actor = try named.has("actor") ? names.member("actor", of: named) : nil
    let happening = try EventReader(fields: named, names: names, commands: commands).read(word)
    return Event(at: try named.count("at"), tick: try named.count("tick"), actor: actor, happening)
  }
}

/// A reader for the details of one event.
struct EventReader {
  let fields: Fields
  let names: Vocabulary
  /// The number of commands in the plan.
  let commands: Int

  /// Reads the happening for a word; one line per word lists the keys it reads.
  func read(_ word: EventWord) throws(FormatError) -> Happening {
    switch word {
    case .called: .called(command: try command(), word: try fields.string("do"))
    case .ended: .ended(command: try command(), try outcome())
    case .skipped: .skipped(command: try command(), because: try fields.string("because"))
    case .registered: .registered(cursor: try fields.string(ifAny: "cursor"))
    case .launched: .launched(cursor: try fields.string(ifAny: "cursor"))
    case .stopped: .stopped
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
        "\(fields.what) is of command \(position), and the plan has \(commands)",
        "Commands are counted from 0; lines of the plan may be missing."
      )
    }
    return position
  }

  private func transactions() throws(FormatError) -> [TransactionName] {
    guard let transactions = try fields.strings(ifAny: "transactions") else {
      throw fields.place.error(
        "\(fields.what) lacks the key \"transactions\"",
        "It must be a list of strings."
      )
    }
    return transactions
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

  /// Reads the transactions of history.
  func history() throws(FormatError) -> [CommittedTransaction] {
    _ = try fields.need("transactions", "a list of transactions", \.elements)
    return try fields.objects("transactions", as: "transaction")
      .map { (held) throws(FormatError) in
        try held.allow(CommittedTransaction.keys)
        return try transaction(held)
      }
  }

  /// Reads one transaction from its keys.
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
