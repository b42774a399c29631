internal import HistoryTypes

/// Encodes plans as JSON Lines: the header, then one command per line.
///
/// Decoding and encoding a plan written by this codec reproduces its bytes.
package enum PlanCodec {
  /// Returns the plan's lines, each with its newline.
  ///
  /// - Complexity: linear in the plan.
  package static func encode(_ plan: Plan) -> String {
    lines([json(of: plan.header)] + plan.commands.map(json))
  }

  /// Returns the plan's lines for a counterexample; the header states that a trace and a verdict follow.
  static func encodeBeginning(_ plan: Plan) -> String {
    var members = json(of: plan.header).members ?? [:]
    members[CounterexampleCodec.key] = .integer(Int64(CounterexampleCodec.version))
    return lines([.object(members)] + plan.commands.map(json))
  }

  private static func lines(_ values: [JSONValue]) -> String {
    values.map { $0.line + "\n" }.joined()
  }

  /// Reads the lines of a plan file.
  ///
  /// - Throws: ``FormatError`` with the line, the problem and a suggestion.
  package static func decode(_ text: String) throws(FormatError) -> Plan {
    var lines = LineReader(text)
    let (plan, after) = try read(&lines)
    guard let after else { return plan }
    throw after.place.error(
      "\(after.what) is not part of a plan file",
      "Remove this line and all lines after it: only a counterexample file may contain them."
    )
  }

  /// Reads a plan's lines; also returns the first line after the plan, or `nil` at the end.
  ///
  /// - Throws: ``FormatError``, also if the header announces a counterexample and the file ends
  ///   after the plan.
  static func read(_ lines: inout LineReader) throws(FormatError) -> (Plan, after: Fields?) {
    guard let (place, first) = try lines.next() else {
      throw lines.end.error("the file is empty", "Begin it with {\"plan\":1,...}.")
    }
    let fields = try Fields(first, as: "the header", at: place)
    let announcesMore = try CounterexampleCodec.isAnnounced(by: fields)
    let header = try header(fields, and: [CounterexampleCodec.key])
    let names = Vocabulary(header)
    var plan = Plan(header: header, commands: [])
    while let (place, value) = try lines.next() {
      let fields = try Fields(value, as: "a command", at: place)
      if let kind = TraceCodec.kind(of: fields) { return (plan, fields.named(kind)) }
      plan.commands.append(try command(fields, names))
    }
    if announcesMore { throw CounterexampleCodec.cut(lines, after: "the plan", isPlan: true) }
    return (plan, nil)
  }
}

extension PlanCodec {
  /// Returns the JSON members of the command `read`; keys with default values are omitted.
  static func json(of reading: PlannedReading) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["consumer": .string(reading.consumer.name)]
    if reading.page != 1000 { members["page"] = .integer(Int64(reading.page)) }
    members["entity"] = reading.entity.map(JSONValue.string)
    members["author"] = reading.author.map(JSONValue.string)
    members["stops"] = reading.stopsAt.map { .integer(Int64($0)) }
    if !reading.steps.isEmpty {
      members["steps"] = JSONValue(strings: reading.steps.map(\.rawValue))
    }
    return members
  }

  /// Reads the JSON members of the command `read`, in which a consumer reads history page by page.
  static func reading(
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> PlannedReading {
    func atLeastOne(_ key: String) throws(FormatError) -> Int? {
      try fields.find(key, "a whole number, 1 or more") { value in
        value.whole.flatMap { $0 >= 1 ? Int($0) : nil }
      }
    }
    let entity = try fields.string(ifAny: "entity")
    if let entity { try names.check(entity: entity, of: fields) }
    let known = ReadingStep.allCases.map(\.rawValue)
    let steps = try fields.find(
      "steps",
      "a list of any of \(known.joined(separator: ", "))"
    ) { value in
      value.elements.flatMap { elements -> [ReadingStep]? in
        let steps = elements.map { $0.text.flatMap(ReadingStep.init) }
        return steps.contains(nil) ? nil : steps.compactMap(\.self)
      }
    }
    return PlannedReading(
      try names.member("consumer", of: fields),
      page: try atLeastOne("page") ?? 1000,
      entity: entity,
      author: try fields.string(ifAny: "author"),
      stopsAt: try atLeastOne("stops"),
      steps: steps ?? []
    )
  }
}

extension PlanCodec {
  /// Returns the command as one object; keys with default values are omitted.
  static func json(of command: Command) -> JSONValue {
    var members = json(of: command.action)
    members["do"] = .string(command.action.word)
    if !command.faults.isEmpty { members["faults"] = .array(command.faults.map(json)) }
    return .object(members)
  }

  private static func json(of action: Action) -> [String: JSONValue] {
    switch action {
    case .write(let write), .begin(let write): return json(of: write)
    case .batch(let batch): return json(of: batch)
    case .query(let query): return json(of: query)
    case .watch(let watch): return json(of: watch)
    case .read(let reading): return json(of: reading)
    case .belated(let actor, let step):
      return ["actor": .string(actor.name), "step": .string(step.rawValue)]
    case .consume(let consumer): return ["consumer": .string(consumer.name)]
    case .deliver(let actor, let fate), .poll(let actor, let fate):
      let members = ["actor": JSONValue.string(actor.name), "fate": .string(fate.rawValue)]
      return fate == .delivered ? members.filter { $0.key != "fate" } : members
    case .view(let actor, let context):
      return ["actor": JSONValue.string(actor.name)].merging(json(ofContext: context)) { $1 }
    case .clock(let advance): return ["advance": JSONValue(advance)]
    case .data, .history: return [:]
    case .commit(let actor), .launch(let actor), .stop(let actor), .crash(let actor),
      .retire(let actor), .suspend(let actor), .resume(let actor), .fetch(let actor),
      .merge(let actor), .record(let actor),
      .pass(let actor), .purge(let actor), .resync(let actor):
      return ["actor": .string(actor.name)]
    }
  }

  private static func json(ofContext name: String) -> [String: JSONValue] {
    name == "view" ? [:] : ["context": .string(name)]
  }

  private static func json(ofAuthor author: WriteAuthor) -> [String: JSONValue] {
    switch author {
    case .own: [:]
    case .absent: ["author": .null]
    case .other(let name): ["author": .string(name)]
    }
  }

  private static func json(of write: PlannedWrite) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "actor": .string(write.actor.name), "changes": .array(write.changes.map(json)),
    ]
    members.merge(json(ofContext: write.context)) { $1 }
    members.merge(json(ofAuthor: write.author)) { $1 }
    if write.policy != .objectWins { members["policy"] = .string(write.policy.rawValue) }
    if !write.ticks { members["tick"] = .integer(0) }
    members["transaction"] = write.fileTransaction.map { JSONValue($0) }
    return members
  }

  static func json(of change: PlannedChange) -> JSONValue {
    var members: [String: JSONValue] = [
      "op": .string(change.type.word), "object": .string(change.object.description),
    ]
    if !change.values.isEmpty { members["values"] = .object(change.values.mapValues(\.json)) }
    return .object(members)
  }

  private static func json(of batch: PlannedBatch) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "actor": .string(batch.actor.name), "op": .string(batch.type.word),
      "entity": .string(batch.entity),
    ]
    members.merge(json(ofAuthor: batch.author)) { $1 }
    if !batch.conditions.isEmpty {
      members["where"] = .array(
        batch.conditions.map(json)
      )
    }
    if !batch.values.isEmpty { members["values"] = .object(batch.values.mapValues(\.json)) }
    return members
  }

  /// Returns the fault as one object.
  static func json(of fault: PlannedFault) -> JSONValue {
    var members: [String: JSONValue] = [
      "kind": .string(fault.kind.rawValue), "file": .string(fault.file.rawValue),
      "call": .string(fault.call.rawValue), "k": .integer(Int64(fault.k)),
    ]
    if fault.from { members["from"] = .bool(true) }
    if fault.seed != 0 { members["seed"] = .integer(Int64(fault.seed)) }
    return .object(members)
  }

  static func command(_ fields: Fields, _ names: Vocabulary) throws(FormatError) -> Command {
    let word = try fields.choice("do", as: CommandWord.self)
    let named = fields.named("the command \"\(word.rawValue)\"")
    try named.allow(word.keys)
    let faults = try named.objects("faults", as: "fault").map(fault)
    return Command(try action(word, named, names), faults: faults)
  }

  /// Reads the action of a command; the switch has one case for each word, with the word's keys.
  private static func action(
    _ word: CommandWord,
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> Action {
    func actor() throws(FormatError) -> ActorID { try names.member("actor", of: fields) }
    switch word {
    case .write: return .write(try write(fields, names))
    case .batch: return .batch(try batch(fields, names))
    case .begin: return .begin(try write(fields, names))
    case .commit: return .commit(try actor())
    case .launch: return .launch(try actor())
    case .stop: return .stop(try actor())
    case .crash: return .crash(try actor())
    case .retire: return .retire(try actor())
    case .suspend: return .suspend(try actor())
    case .resume: return .resume(try actor())
    case .fetch: return .fetch(try actor())
    case .merge: return .merge(try actor())
    case .record: return .record(try actor())
    case .pass: return .pass(try actor())
    case .purge: return .purge(try actor())
    case .resync: return .resync(try actor())
    case .belated: return .belated(try actor(), try fields.choice("step", as: BelatedStep.self))
    case .query: return .query(try query(fields, names))
    case .watch: return .watch(try watch(fields, names))
    case .consume: return .consume(try names.member("consumer", of: fields))
    case .read: return .read(try reading(fields, names))
    case .deliver: return .deliver(try actor(), try fields.choice("fate", default: .delivered))
    case .poll: return .poll(try actor(), try fields.choice("fate", default: .delivered))
    case .view: return .view(try actor(), context: try context(fields))
    case .data: return .data
    case .history: return .history
    case .clock: return .clock(advance: try fields.finite("advance"))
    }
  }

  private static func context(_ fields: Fields) throws(FormatError) -> String {
    try fields.string(ifAny: "context") ?? "view"
  }

  /// Reads an author: an absent key means the actor's own author, `null` means none.
  private static func author(_ fields: Fields) throws(FormatError) -> WriteAuthor {
    guard fields.members["author"] != nil else { return .own }
    return try fields.string(ifAny: "author").map(WriteAuthor.other) ?? .absent
  }

  private static func write(
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> PlannedWrite {
    _ = try fields.need("changes", "a list of changes", \.elements)
    let changes = try fields.objects("changes", as: "change")
      .map { (change) throws(FormatError) in try self.change(change, names) }
    let tick = try fields.find("tick", "0 or 1") { $0.whole.flatMap { 0...1 ~= $0 ? $0 : nil } }
    return PlannedWrite(
      actor: try names.member("actor", of: fields),
      context: try context(fields),
      author: try author(fields),
      changes: changes,
      policy: try fields.choice("policy", default: .objectWins),
      ticks: tick != 0,
      fileTransaction: try fields.find("transaction", "a whole number", \.whole)
    )
  }

  static func change(
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> PlannedChange {
    try fields.allow(["op", "object", "values"])
    let object = try names.object(try fields.string("object"), of: fields)
    let values = try names.values("values", of: object.entity, in: fields)
    return PlannedChange(try fields.changeType(), object, values ?? [:])
  }

  private static func batch(
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> PlannedBatch {
    let entity = try fields.string("entity")
    try names.check(entity: entity, of: fields)
    let type = try fields.changeType()
    guard type != .insert else {
      throw fields.place.error(
        "the command \"batch\" cannot insert objects",
        "Use the command \"write\" in the context that is named \"batch\"."
      )
    }
    return PlannedBatch(
      actor: try names.member("actor", of: fields),
      author: try author(fields),
      type: type,
      entity: entity,
      conditions: try conditions(fields, of: entity, names),
      values: try names.values("values", of: entity, in: fields) ?? [:]
    )
  }

  static func fault(_ fields: Fields) throws(FormatError) -> PlannedFault {
    try fields.allow(["kind", "file", "call", "k", "from", "seed"])
    let kind = try fields.choice("kind", as: PlannedFault.Kind.self)
    let call = try fields.choice("call", as: PlannedFault.Call.self)
    guard kind.calls.contains(call) else {
      let known = kind.calls.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw fields.place.error(
        "\(fields.what) is of the kind \"\(kind.rawValue)\", which cannot occur "
          + "at the call \"\(call.rawValue)\"",
        "\(kind.calls.count > 1 ? "Write one of the calls" : "Write the call") \(known)."
      )
    }
    let k = try fields.need("k", "a whole number, 1 or more") { value in
      value.whole.flatMap { $0 >= 1 ? Int($0) : nil }
    }
    return PlannedFault(
      kind: kind,
      file: try fields.choice("file", as: PlannedFault.File.self),
      call: call,
      k: k,
      from: try fields.bool("from", default: false),
      seed: try fields.count(ifAny: "seed") ?? 0
    )
  }
}
