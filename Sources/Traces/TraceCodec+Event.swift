internal import HistoryTypes

extension CommittedTransaction {
  /// The keys of a transaction in a trace.
  static let keys = ["transaction", "author", "context", "writer", "timestamp", "changes"]
}

extension TraceCodec {
  /// Returns the event as one object; absent values are omitted.
  static func json(of event: Event) -> JSONValue {
    var members = json(of: event.happening)
    members["at"] = .integer(Int64(event.at))
    members["tick"] = .integer(Int64(event.tick))
    members["actor"] = event.actor.map { .string($0.name) }
    members["event"] = .string(event.happening.word.rawValue)
    return .object(members)
  }

  private static func json(of happening: Happening) -> [String: JSONValue] {
    switch happening {
    case .called(let command, let word): json(ofCommand: command, ["do": .string(word)])
    case .ended(let command, let outcome): json(ofCommand: command, json(of: outcome))
    case .skipped(let command, let reason): json(ofCommand: command, ["because": .string(reason)])
    case .registered(let cursor), .launched(let cursor), .recorded(let cursor),
      .resynced(let cursor):
      json("cursor", of: cursor)
    case .recovered(let through), .passed(let through): json("through", of: through)
    case .damaged(let reason): ["because": .string(reason)]
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
    case .fault(let fault): ["fault": PlanCodec.json(of: fault)]
    case .clock(let now): ["now": JSONValue(now)]
    case .stopped, .crashed, .retired, .wroteNothing, .lost, .expired, .rewound, .signalled, .woke:
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

  /// Returns the objects by their names.
  static func json(of objects: Objects) -> JSONValue {
    let pairs = objects.map { ($0.key.description, JSONValue.object($0.value.mapValues(\.json))) }
    return .object(Dictionary(uniqueKeysWithValues: pairs))
  }

  /// Returns the members of one object that represent a transaction.
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
}
