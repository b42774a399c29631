internal import HistoryTypes

extension WireCodec {
  /// The reply of a program: the effects of a command, or its failure.
  package typealias Reply = Result<WireAnswer, WireFailure>

  /// Reads the answer to a command; the id is not checked if `id` is `nil`.
  ///
  /// - Throws: ``FormatError`` without a line if the text is not an answer to the command.
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

  /// Reads the answer to a greeting; the id is not checked if `id` is `nil`.
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

  /// Returns the keys that an answer requires; `transaction` and `cursor` may be null.
  package static func keys(of request: WireRequest) -> [String] {
    guard case .command(let action) = request else { return [] }
    switch action {
    case .write, .batch, .commit: return ["transaction"]
    case .launch, .resync: return ["cursor"]
    case .fetch, .merge, .pass, .consume, .history: return ["transactions"]
    case .purge: return ["purged"]
    case .view, .data: return ["objects"]
    case .begin, .stop, .crash, .retire, .record, .belated, .deliver, .poll, .query, .read, .clock:
      return []
    }
  }

  private static func needed(_ key: String, _ word: String) -> String {
    let mayBeNull = ["transaction", "cursor"].contains(key)
    return "Every answer to \"\(word)\" has it" + (mayBeNull ? "; it may be null" : "")
  }

  /// An error with its keys; `done` is read later.
  private struct ErrorBody: Error {
    let failure: SystemFailure
    let fields: Fields
  }

  /// Returns the object under `ok` or `error`.
  private static func body(
    _ line: String,
    id: Int?,
    of word: String
  ) throws(FormatError) -> Result<Fields, ErrorBody> {
    let place = Place(line: nil, lenient: true)
    let fields = try Fields(JSONValue(message: line), as: "the answer to \"\(word)\"", at: place)
    if let id {
      let reported = try fields.need("id", "the id of the message", \.whole)
      guard reported == Int64(id) else {
        throw place.error(
          "the answer to \"\(word)\" has the id \(reported), and the message had \(id)",
          "Answer each message once, with its id."
        )
      }
    }
    if let error = try fields.find("error", "an object", \.members) {
      guard !fields.has("ok") else {
        throw place.error("\(fields.what) has \"ok\" and \"error\"", "It is one or the other.")
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

/// Reads the keys of one answer.
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

  /// Reads a position; `null` is the beginning of history.
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
