internal import HistoryTypes

extension WireCodec {
  /// Returns one answer without its newline.
  package static func encode(_ answer: WireAnswer, id: Int) -> String {
    line(id: id, "ok", .object(json(of: answer)))
  }

  /// Returns one failure without its newline; `id` is `nil` if the request's id was unreadable.
  package static func encode(_ failure: WireFailure, id: Int?) -> String {
    var members: [String: JSONValue] = [
      "code": .string(failure.failure.code.rawValue), "message": .string(failure.failure.message),
    ]
    let done = json(of: failure.done)
    if !done.isEmpty { members["done"] = .object(done) }
    return line(id: id, "error", .object(members))
  }

  /// Returns the answer to a greeting, without its newline.
  package static func encode(_ hello: WireHello, id: Int) -> String {
    let members: [String: JSONValue] = [
      "system": .string(hello.system), "version": .string(hello.version),
      "capabilities": JSONValue(strings: hello.capabilities),
      "timestamps": .string(hello.timestamps.rawValue),
    ]
    return line(id: id, "ok", .object(members))
  }

  private static func line(id: Int?, _ key: String, _ value: JSONValue) -> String {
    JSONValue.object(["id": id.map { .integer(Int64($0)) } ?? .null, key: value]).line
  }

  private static func json(of answer: WireAnswer) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    members["transactions"] = answer.transactions.map { JSONValue(strings: $0) }
    members["fetched"] = answer.fetched.map { JSONValue(strings: $0) }
    members["observed"] = answer.observed.map { JSONValue(strings: $0) }
    members["finished"] = answer.finished.map { JSONValue(strings: $0) }
    members["purged"] = answer.purged.map { JSONValue(strings: $0) }
    members["cursor"] = answer.cursor.map(json)
    members["recorded"] = answer.recorded.map(json)
    members["objects"] = answer.objects.map(TraceCodec.json)
    members["now"] = answer.now.map { JSONValue($0) }
    members["registered"] = answer.isRegistered.map(JSONValue.bool)
    if let held = answer.history {
      members["transactions"] = .array(held.map { .object(TraceCodec.json(of: $0)) })
    }
    for (key, flag) in [
      ("woke", answer.hasWoken), ("expired", answer.isExpired), ("rewound", answer.isRewound),
    ] where flag { members[key] = .bool(true) }
    for (key, ids) in [("lost", answer.lost), ("signalled", answer.signalled)] where !ids.isEmpty {
      members[key] = JSONValue(strings: ids.map(\.name))
    }
    return members.merging(json(of: answer.write)) { $1 }
  }

  private static func json(of position: WirePosition) -> JSONValue {
    position.transaction.map(JSONValue.string) ?? .null
  }

  private static func json(of write: WireWrite?) -> [String: JSONValue] {
    switch write {
    case nil: return [:]
    case .nothing: return ["transaction": .null, "timestamp": .null, "changes": []]
    case .committed(let transaction):
      var members = TraceCodec.json(of: transaction)
      // If the key is absent, the lab assumes the actor's own author.
      members["author"] = transaction.author.map(JSONValue.string) ?? .null
      return members
    }
  }
}
