internal import HistoryTypes

/// Encodes messages between the lab and a program under test: one JSON object per line.
///
/// Unknown keys are ignored, so that the lab and the program may have different versions.
package enum WireCodec {
  /// Returns one request as a line without its newline.
  package static func encode(_ message: WireMessage) -> String {
    var members = json(of: message.request)
    members["do"] = .string(message.request.word)
    members["id"] = .integer(Int64(message.id))
    members["now"] = message.now.map { JSONValue($0) }
    return JSONValue.object(members).line
  }

  private static func json(of request: WireRequest) -> [String: JSONValue] {
    switch request {
    case .hello: return ["version": .integer(Int64(PlanHeader.version))]
    case .reset(let header):
      var members = PlanCodec.json(of: header).members ?? [:]
      members["plan"] = nil
      members["version"] = .integer(Int64(PlanHeader.version))
      return members
    case .command(let action): return PlanCodec.json(of: Command(action)).members ?? [:]
    case .recover, .bye: return [:]
    }
  }

  /// Reads a request; a command may contain only names that the current plan declares.
  ///
  /// - Throws: ``WireRefusal`` with an error message for the sender.
  package static func request(
    _ line: String,
    for header: PlanHeader?
  ) throws(WireRefusal) -> WireMessage {
    var id: Int?
    do throws(FormatError) {
      let place = Place(line: nil, lenient: true)
      let fields = try Fields(JSONValue(message: line), as: "the message", at: place)
      id = try fields.find("id", "a whole number") { $0.whole.map { Int($0) } }
      let known = try fields.need("id", "a whole number") { $0.whole.map { Int($0) } }
      let request = try request(fields, for: header)
      return WireMessage(id: known, request: request, now: try fields.finite(ifAny: "now"))
    } catch {
      let isUnknown = error.problem.hasPrefix(unknownWord)
      throw WireRefusal(
        id: id,
        failure: SystemFailure(isUnknown ? .unsupported : .failed, error.description)
      )
    }
  }

  private static let unknownWord = "\"do\" of the message cannot be"

  private static func request(
    _ fields: Fields,
    for header: PlanHeader?
  ) throws(FormatError) -> WireRequest {
    switch try fields.string("do") {
    case "hello": return .hello
    case "reset": return .reset(try plan(fields))
    case "heal": return .recover
    case "bye": return .bye
    case let word:
      guard CommandWord(rawValue: word) != nil else {
        throw fields.place.error(
          "\(unknownWord) \"\(word)\"",
          Fields.advice(word, WireRequest.words)
        )
      }
      guard let header else {
        throw fields.place.error(
          "the command \"\(word)\" comes before any plan",
          "Send \"reset\" with the keys of a plan's header first."
        )
      }
      return .command(try PlanCodec.command(fields, Vocabulary(header)).action)
    }
  }

  private static func plan(_ fields: Fields) throws(FormatError) -> PlanHeader {
    var members = fields.members
    members["plan"] = members["version"] ?? .integer(Int64(PlanHeader.version))
    return try PlanCodec.header(Fields(members, as: "the header", at: fields.place))
  }
}

extension WireCodec {
  /// Returns one answer as a line without its newline.
  package static func encode(_ answer: WireAnswer, id: Int) -> String {
    line(id: id, "ok", .object(json(of: answer)))
  }

  /// Returns one failure as a line without its newline; `id` is `nil` if the request's id was unreadable.
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
      // A null author is written, because the lab assumes the actor's author if the key is absent.
      members["author"] = transaction.author.map(JSONValue.string) ?? .null
      return members
    }
  }
}

extension WireCodec {
  /// The reply of a program under test: the effects of a command, or its failure.
  package typealias Reply = Result<WireAnswer, WireFailure>

  /// Reads the answer to a command; if `id` is `nil`, the answer's id is not checked.
  ///
  /// - Throws: ``FormatError`` without a line number if the text is not an answer to the command.
  package static func reply(
    _ line: String,
    id: Int?,
    to request: WireRequest,
    by writer: WireWriter?,
    in header: PlanHeader
  ) throws(FormatError) -> Reply {
    let word = request.word
    let names = Vocabulary(header)
    switch try body(line, id: id, of: word) {
    case .success(let ok):
      let answer = try AnswerReader(fields: ok, names: names, writer: writer).read(request)
      for key in keys(of: request) where ok.members[key] == nil {
        throw ok.place.error("\(ok.what) lacks the key \"\(key)\"", "\(needed(key, word)).")
      }
      return .success(answer)
    case .failure(let error):
      var failure = WireFailure(error.failure)
      if let members = try error.fields.find("done", "an object", \.members) {
        let done = Fields(members, as: "\"done\" of \(error.fields.what)", at: error.fields.place)
        failure.done = try AnswerReader(fields: done, names: names, writer: writer).read(request)
      }
      return .failure(failure)
    }
  }

  /// Reads the answer to a greeting; if `id` is `nil`, the answer's id is not checked.
  package static func hello(
    _ line: String,
    id: Int?
  ) throws(FormatError) -> Result<WireHello, WireFailure> {
    switch try body(line, id: id, of: "hello") {
    case .success(let ok):
      _ = try ok.need("capabilities", "a list of strings", \.elements)
      return .success(
        WireHello(
          system: try ok.string("system"),
          version: try ok.string("version"),
          capabilities: try ok.strings(ifAny: "capabilities") ?? [],
          timestamps: try ok.choice("timestamps", default: .wallClock)
        )
      )
    case .failure(let error): return .failure(WireFailure(error.failure))
    }
  }

  /// Returns the keys that an answer to the request must contain.
  ///
  /// The value of `transaction` or `cursor` may be `null`.
  package static func keys(of request: WireRequest) -> [String] {
    guard case .command(let action) = request else { return [] }
    switch action {
    case .write, .batch, .commit: return ["transaction"]
    case .launch, .resync: return ["cursor"]
    case .fetch, .merge, .pass, .consume, .history: return ["transactions"]
    case .purge: return ["purged"]
    case .view, .data: return ["objects"]
    case .begin, .stop, .crash, .retire, .suspend, .resume, .record, .belated, .deliver, .poll,
      .query, .watch, .read, .clock:
      return []
    }
  }

  private static func needed(_ key: String, _ word: String) -> String {
    let mayBeNull = ["transaction", "cursor"].contains(key)
    return "Every answer to \"\(word)\" has this key" + (mayBeNull ? "; its value may be null" : "")
  }

  /// An error that a program sent as its answer to a command.
  ///
  /// `fields` contains the error, and the effects that the command had before it failed.
  private struct ErrorBody: Error {
    let failure: SystemFailure
    let fields: Fields
  }

  /// Returns the object under the key `ok` or `error` of an answer.
  private static func body(
    _ line: String,
    id: Int?,
    of word: String
  ) throws(FormatError) -> Result<Fields, ErrorBody> {
    let place = Place(line: nil, lenient: true)
    let fields = try Fields(JSONValue(message: line), as: "the answer to \"\(word)\"", at: place)
    if let id {
      let reported = try fields.need("id", "the \"id\" of the answered message", \.whole)
      guard reported == Int64(id) else {
        throw place.error(
          "the answer to \"\(word)\" has the id \(reported), and the message had \(id)",
          "Answer each message once, with its id."
        )
      }
    }
    if let error = try fields.find("error", "an object", \.members) {
      guard !fields.has("ok") else {
        throw place.error("\(fields.what) has \"ok\" and \"error\"", "Send only one of them.")
      }
      let error = Fields(error, as: "the error of \"\(word)\"", at: place)
      let code = try error.choice("code", as: SystemFailure.Code.self)
      let message = try error.string(ifAny: "message") ?? ""
      return .failure(ErrorBody(failure: SystemFailure(code, message), fields: error))
    }
    let ok = try fields.need("ok", "an object, unless there is \"error\"", \.members)
    return .success(Fields(ok, as: fields.what, at: place))
  }
}

/// Reads the values in one answer.
private struct AnswerReader {
  let fields: Fields
  let names: Vocabulary
  let writer: WireWriter?

  func read(_ request: WireRequest) throws(FormatError) -> WireAnswer {
    var answer = WireAnswer()
    if case .command(.history) = request {
      answer.history = try history()
    } else {
      answer.transactions = try fields.strings(ifAny: "transactions")
    }
    answer.fetched = try fields.strings(ifAny: "fetched")
    answer.observed = try fields.strings(ifAny: "observed")
    answer.finished = try fields.strings(ifAny: "finished")
    answer.purged = try fields.strings(ifAny: "purged")
    answer.cursor = try position("cursor")
    answer.recorded = try position("recorded")
    if let writer { answer.write = try write(by: writer) }
    if fields.has("objects") { answer.objects = try names.objects(in: fields) }
    answer.now = try fields.finite(ifAny: "now")
    answer.isRegistered = try fields.find("registered", "true or false", \.truth)
    answer.hasWoken = try fields.bool("woke", default: false)
    answer.isExpired = try fields.bool("expired", default: false)
    answer.isRewound = try fields.bool("rewound", default: false)
    answer.lost = try members("lost")
    answer.signalled = try members("signalled")
    return answer
  }

  /// Reads a position in history; the value `null` means the beginning.
  private func position(_ key: String) throws(FormatError) -> WirePosition? {
    guard fields.members[key] != nil else { return nil }
    return WirePosition(try fields.string(ifAny: key))
  }

  private func members(_ key: String) throws(FormatError) -> [ActorID] {
    try (fields.strings(ifAny: key) ?? []).map { (name) throws(FormatError) in
      try names.member(key, of: Fields([key: .string(name)], as: fields.what, at: fields.place))
    }
  }

  private func write(by writer: WireWriter) throws(FormatError) -> WireWrite? {
    guard let name = fields.members["transaction"] else { return nil }
    guard name != .null else { return .nothing }
    var transaction = try EventReader(fields: fields, names: names, commands: 0)
      .transaction(fields)
    if fields.members["author"] == nil { transaction.author = writer.author }
    transaction.context = transaction.context ?? writer.context
    return .committed(transaction)
  }

  private func history() throws(FormatError) -> [CommittedTransaction]? {
    guard fields.has("transactions") else { return nil }
    return try EventReader(fields: fields, names: names, commands: 0).history()
  }
}
