internal import HistoryTypes
internal import Traces

/// Short phrases for the contents of plans and traces, safe to print in a terminal.
enum CounterexamplePhrase {
  /// The maximum number of objects that a phrase about a write or a view names one by one.
  private static let objectCountMax = 3
  private static let textLengthMax = 16
  private static let messageLengthMax = 120
  /// A no-break space, which keeps the words of a phrase on one line.
  static let joint = "\u{a0}"

  /// Returns a transaction's name with a number sign.
  static func name(_ transaction: TransactionName) -> String { "#" + printable(transaction) }

  static func names(_ transactions: [TransactionName]) -> String {
    transactions.isEmpty ? "nothing" : transactions.map(name).joined(separator: " ")
  }

  static func cursor(_ cursor: TransactionName?) -> String { cursor.map(name) ?? "nothing" }

  /// Returns the text with line breaks and other control characters escaped.
  ///
  /// Unescaped control characters could move the terminal's cursor or change its colours.
  static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
        .privateUse:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func shortened(_ text: String, to length: Int) -> String {
    text.count > length ? text.prefix(length - 1) + "…" : text
  }

  static func value(_ value: Value) -> String {
    switch value {
    case .string(let text):
      return "\"" + printable(shortened(text, to: textLengthMax)) + "\""
    case .uuid(let uuid): return uuid.uuidString.prefix(8) + "…"
    case .null, .int, .double, .data, .date, .bool: return value.description
    }
  }

  static func values(_ values: Values) -> String {
    let pairs = values.sorted { $0.key < $1.key }.map { "\($0.key):\(joint)\(value($0.value))" }
    return "{" + pairs.joined(separator: ", ") + "}"
  }

  static func object(_ name: ObjectName, _ values: Values) -> String {
    values.isEmpty ? name.description : "\(name) \(self.values(values))"
  }

  /// Returns the first phrases of a list, and the number of the remaining ones.
  static func list(_ phrases: [String]) -> String {
    let rest = phrases.count - objectCountMax
    let shown = phrases.prefix(objectCountMax).joined(separator: ", ")
    return rest > 0 ? "\(shown) and \(rest) more" : shown
  }

  static func objects(_ objects: Objects) -> String {
    objects.isEmpty
      ? "nothing" : list(objects.sorted { $0.key < $1.key }.map { object($0.key, $0.value) })
  }

  /// Returns how the objects in an actor's context (`view`) differ from the store's data.
  ///
  /// The phrase names objects that the context lacks, still has, or has with other values.
  static func difference(of view: Objects, from data: Objects) -> String {
    let names = Set(view.keys).union(data.keys).filter { view[$0] != data[$0] }.sorted()
    let phrases = names.map { name in
      switch (view[name], data[name]) {
      case (let seen?, let held?): "has \(name) \(otherwise(seen, held))"
      case (let seen?, nil): "still has \(object(name, seen))"
      case (nil, let held): "lacks \(object(name, held ?? [:]))"
      }
    }
    return phrases.isEmpty ? "equals the data" : list(phrases)
  }

  /// Returns the values of an object that differ: those in the context, then those in the store.
  private static func otherwise(_ seen: Values, _ held: Values) -> String {
    let differing = Set(seen.keys).union(held.keys).filter { seen[$0] != held[$0] }
    return values(seen.filter { differing.contains($0.key) }) + " instead of "
      + values(held.filter { differing.contains($0.key) })
  }

  static func changes(_ changes: [PlannedChange]) -> String {
    changes.isEmpty
      ? "save nothing"
      : list(changes.map { "\($0.type.word)\(joint)\(object($0.object, $0.values))" })
  }

  static func write(_ write: PlannedWrite) -> String {
    let context =
      switch write.context {
      case "view": nil as String?
      case PlannedWrite.plainSQL: "with plain SQL"
      default: "in\(joint)\(printable(write.context))"
      }
    let policy = write.policy == .objectWins ? nil : "policy\(joint)\(write.policy.rawValue)"
    let time = write.ticks ? nil : "clock stands still"
    let number = write.fileTransaction.map { "transaction\(joint)\($0) of the file" }
    return changes(write.changes) + remarks([number, context, author(write.author), policy, time])
  }

  /// Returns a phrase for the objects in a plan's header, which exist before the first command.
  static func opening(_ header: PlanHeader) -> String {
    "objects from before: " + list(header.objects.keys.sorted().map(\.description))
  }

  static func query(_ query: PlannedQuery) -> String {
    let joiner = query.matchesAny ? " or " : " and "
    let terms = query.terms.map(term).joined(separator: joiner)
    let filter = terms.isEmpty ? "" : ", where " + terms
    let position = position(query.start)
    switch query.form {
    case .find:
      let conditions = query.conditions.map(condition).joined(separator: " and ")
      return "find \(query.entity.map(printable) ?? "")"
        + (conditions.isEmpty ? "" : " where " + conditions)
    case .members: return "list the members"
    case .rows: return "count the rows of history"
    case .transaction: return "fetch " + (position ?? "no transaction")
    case .purge: return "purge history" + (position.map { " before \($0)" } ?? "") + filter
    case .sorted, .uris, .tokens, .size, .due, .differences, .lags, .visit, .signals, .verify,
      .refusals, .files, .watch, .tour, .large, .values, .purges, .damage, .passes, .models,
      .containers, .foreign, .suspension, .lists, .edits, .orders, .conflicts, .aggregates,
      .upgrades, .duplicates, .edges:
      return request(query, position)
    case .transactions, .headers, .changes, .stream, .count, .changeCount, .objects, .exists, .sql,
      .table:
      return "query \(query.form.rawValue) after \(position ?? "the beginning")\(filter)"
    }
  }

  /// Returns the phrase of a query about objects, positions, members or the file.
  private static func request(_ query: PlannedQuery, _ position: String?) -> String {
    switch query.form {
    case .sorted:
      let conditions = query.conditions.map(condition).joined(separator: " and ")
      var offset = 0
      if case .behind(let count) = query.start { offset = count }
      return "find \(query.entity.map(printable) ?? "")"
        + (conditions.isEmpty ? "" : " where " + conditions)
        + remarks([
          query.orders.isEmpty ? nil : "by " + orders(query.orders),
          offset == 0 ? nil : "after the first \(offset)",
          query.page == 1000 ? nil : "at most \(query.page)",
          query.pending.isEmpty ? nil : "with unsaved changes: " + changes(query.pending),
        ])
    case .uris: return "resolve the identifiers of \(query.entity.map(printable) ?? "")"
    case .tokens: return "resolve the token of \(position ?? "the newest transaction")"
    case .size: return "measure history"
    case .due:
      var interval = 0.0
      if case .ago(let seconds) = query.start { interval = seconds }
      return "purge history if the last purge was at least \(span(interval)) ago"
    case .differences: return "compare the members' configurations"
    case .lags: return "list what the members have not merged"
    case .visit:
      return "a visitor joins" + (query.start == .beginning ? "" : " with " + (position ?? ""))
    case .signals: return "list the signals"
    case .refusals: return "make requests that a store refuses"
    case .files: return "copy the store on disk"
    case .watch: return "watch a store on disk"
    case .large: return "write and read large transactions in a store on disk (\(query.page))"
    case .damage: return "damage stores on disk (\(query.page))"
    case .passes: return "run trackers on a store on disk (\(query.page))"
    case .models: return "open a store on disk with several versions of a model (\(query.page))"
    case .lists: return "edit tasks with tags on disk, while lists stay current (\(query.page))"
    case .edits: return "undo edits and pin contexts of a store on disk (\(query.page))"
    case .orders: return "order the references of objects on disk (\(query.page))"
    case .conflicts: return "save conflicts and duplicates in a store on disk (\(query.page))"
    case .aggregates: return "sum and compare the values of a store on disk (\(query.page))"
    case .upgrades: return "upgrade stores on disk to newer models (\(query.page))"
    case .duplicates: return "merge and remove duplicates in stores on disk (\(query.page))"
    case .edges: return "bring stores on disk to rare states (\(query.page))"
    case .suspension: return "suspend and resume stores on disk (\(query.page))"
    case .foreign: return "write to a store on disk with plain SQL (\(query.page))"
    case .containers: return "use several stores on disk in a container (\(query.page))"
    case .purges: return "purge parts of a history on disk (\(query.page))"
    case .values: return "compare values in a store on disk (\(query.page))"
    case .tour:
      return "a tracker visits" + (query.start == .beginning ? "" : " with " + (position ?? ""))
    default: return "verify the file"
    }
  }

  /// Returns a duration in words, without its sign.
  private static func span(_ seconds: Double) -> String {
    String(duration(seconds.magnitude).dropFirst())
  }

  /// Returns the first lines of a query's answer.
  static func answer(_ lines: [String]) -> String {
    lines.isEmpty ? "none" : list(lines.map(printable))
  }

  /// Returns the position of a query as a noun; `nil` for the beginning of history.
  private static func position(_ start: PlannedQuery.Start) -> String? {
    switch start {
    case .beginning: nil
    case .behind(0): "the newest transaction"
    case .behind(let count): "the transaction \(count) behind the newest"
    case .ago(0): "the current time"
    case .ago(let seconds) where seconds < 0: "the time \(span(seconds)) from now"
    case .ago(let seconds): "the time \(span(seconds)) ago"
    }
  }

  /// Returns a phrase for the start of a live query.
  static func watch(_ watch: PlannedWatch) -> String {
    let conditions = watch.conditions.map(condition).joined(separator: " and ")
    return "watch " + printable(watch.entity) + (conditions.isEmpty ? "" : " where " + conditions)
      + remarks([
        watch.orders.isEmpty ? nil : "by " + orders(watch.orders),
        watch.limit.map { "at most \($0)" },
      ])
  }

  private static func orders(_ orders: [PlannedOrder]) -> String {
    orders.map { printable($0.attribute) + ($0.isAscending ? "" : " descending") }
      .joined(separator: ", ")
  }

  /// Returns a phrase for the result of a live query, or for the error that ended the query.
  static func report(_ report: LiveReport) -> String {
    if let failure = report.failure {
      return "list \(report.list) ends: " + shortened(printable(failure), to: messageLengthMax)
    }
    let rows = report.rows.map { object($0.object, $0.values) }
    return "list \(report.list) shows " + (rows.isEmpty ? "nothing" : list(rows))
  }

  static func reading(_ reading: PlannedReading) -> String {
    let limits = [
      reading.page == 1000 ? nil : "pages of \(reading.page)",
      reading.entity.map { "only " + printable($0) },
      reading.author.map { "only by " + printable($0) },
      reading.stopsAt.map { "throws at page \($0)" },
    ]
    let steps = reading.steps.map(\.rawValue).joined(separator: ", ")
    return (steps.isEmpty ? "read" : "read: " + steps) + remarks(limits)
  }

  private static func term(_ term: QueryTerm) -> String {
    let text: String =
      switch term.subject {
      case .author(let name): "author \(name.map(printable) ?? "none")"
      case .context(let name): "context \(name.map(printable) ?? "none")"
      case .entity(let name): printable(name)
      case .type(let type): type.word
      case .object(let name): name.description
      case .newest(let count): "one of the newest \(count)"
      case .recent(let seconds): "of the last \(span(seconds))"
      }
    return (term.isNegated ? "not " : "") + text
  }

  static func batch(_ batch: PlannedBatch) -> String {
    let conditions = batch.conditions.map(condition)
    let matching = conditions.isEmpty ? "" : " where " + conditions.joined(separator: " and ")
    let set = batch.values.isEmpty ? "" : " " + values(batch.values)
    return "batch \(batch.type.word) \(batch.entity)\(matching)\(set)"
      + remarks([author(batch.author)])
  }

  private static func condition(_ condition: PlannedCondition) -> String {
    switch condition {
    case .compare(let name, let comparison, let other):
      "\(name) \(comparison.rawValue) \(value(other))"
    case .among(let name, let values): "\(name) in [\(values.map(value).joined(separator: ", "))]"
    case .between(let name, let low, let high):
      "\(name) between \(value(low)) and \(value(high))"
    case .like(let name, let pattern): "\(name) like \(value(.string(pattern)))"
    case .all(let parts): joined(parts, " and ", ofNone: "all")
    case .any(let parts): joined(parts, " or ", ofNone: "none")
    case .not(let part): "not (\(Self.condition(part)))"
    }
  }

  private static func joined(
    _ parts: [PlannedCondition],
    _ word: String,
    ofNone: String
  ) -> String {
    parts.isEmpty ? ofNone : "(" + parts.map(condition).joined(separator: word) + ")"
  }

  private static func author(_ author: WriteAuthor) -> String? {
    switch author {
    case .own: nil
    case .absent: "without\(joint)author"
    case .other(let name): "as\(joint)\(printable(name))"
    }
  }

  private static func remarks(_ remarks: [String?]) -> String {
    let said = remarks.compactMap { $0 }
    return said.isEmpty ? "" : " (\(said.joined(separator: ", ")))"
  }

  static func failure(_ failure: SystemFailure) -> String {
    "(\(failure.code.rawValue)): " + shortened(printable(failure.message), to: messageLengthMax)
  }

  static func fault(_ fault: PlannedFault) -> String {
    "\(fault.kind.rawValue) at \(fault.from ? "and after " : "")"
      + "\(fault.call.rawValue) \(fault.k) of \(fault.file.rawValue)"
  }

  /// Returns a signed duration in the largest unit of which the duration is a multiple.
  static func duration(_ seconds: Double) -> String {
    let units: [(size: Double, one: String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
    let sign = seconds < 0 ? "" : "+"
    for unit in units {
      let count = seconds / unit.size
      guard count != 0, count == count.rounded(), count.magnitude < 1e6 else { continue }
      return sign + Int(count).counted(unit.one)
    }
    let isWhole = seconds == seconds.rounded() && seconds.magnitude < 1e15
    return "\(sign)\(isWhole ? String(Int(seconds)) : String(seconds)) s"
  }
}

extension String {
  /// The text with escaped control characters, which could otherwise move a terminal's cursor.
  package var printable: String { CounterexamplePhrase.printable(self) }
}
