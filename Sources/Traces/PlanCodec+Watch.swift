internal import HistoryTypes

extension PlanCodec {
  /// Returns the keys and values of a command that starts a live query; default values are omitted.
  static func json(of watch: PlannedWatch) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "actor": .string(watch.actor.name), "entity": .string(watch.entity),
    ]
    if !watch.conditions.isEmpty { members["where"] = .array(watch.conditions.map(json)) }
    members["sort"] = json(of: watch.orders)
    members["limit"] = watch.limit.map { .integer(Int64($0)) }
    return members
  }

  /// Reads a command that starts a live query.
  static func watch(_ fields: Fields, _ names: Vocabulary) throws(FormatError) -> PlannedWatch {
    let entity = try fields.string("entity")
    try names.check(entity: entity, of: fields)
    return PlannedWatch(
      actor: try names.member("actor", of: fields),
      entity: entity,
      conditions: try conditions(fields, of: entity, names),
      orders: try orders(fields, of: entity, names),
      limit: try fields.find("limit", "a whole number, 1 or more") { value in
        value.whole.flatMap { $0 >= 1 ? Int($0) : nil }
      }
    )
  }
}

extension LiveReport {
  /// The JSON keys of a live query's report in a trace.
  static let keys = ["list", "rows", "removed", "inserted", "updated", "because"]
}

extension TraceCodec {
  /// Returns the keys and values of a report of a live query; empty lists are omitted.
  static func json(of report: LiveReport) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["list": .integer(Int64(report.list))]
    if !report.rows.isEmpty { members["rows"] = .array(report.rows.map(json)) }
    if !report.removed.isEmpty { members["removed"] = json(of: report.removed) }
    if !report.inserted.isEmpty { members["inserted"] = json(of: report.inserted) }
    if !report.updated.isEmpty {
      members["updated"] = JSONValue(strings: report.updated.map(\.description))
    }
    members["because"] = report.failure.map(JSONValue.string)
    return members
  }

  private static func json(of positions: [Int]) -> JSONValue {
    .array(positions.map { .integer(Int64($0)) })
  }

  private static func json(of row: ListedRow) -> JSONValue {
    var members: [String: JSONValue] = [
      "object": .string(row.object.description), "key": JSONValue(row.key),
    ]
    if !row.values.isEmpty { members["values"] = .object(row.values.mapValues(\.json)) }
    return .object(members)
  }
}

extension EventReader {
  /// Reads a report of a live query.
  func report() throws(FormatError) -> LiveReport {
    LiveReport(
      list: try fields.count("list"),
      rows: try fields.objects("rows", as: "row").map { (row) throws(FormatError) in
        try self.row(row)
      },
      removed: try positions("removed"),
      inserted: try positions("inserted"),
      updated: try (fields.strings(ifAny: "updated") ?? []).map { (text) throws(FormatError) in
        try names.object(text, of: fields)
      },
      failure: try fields.string(ifAny: "because")
    )
  }

  private func row(_ fields: Fields) throws(FormatError) -> ListedRow {
    try fields.allow(["object", "key", "values"])
    let object = try names.object(try fields.string("object"), of: fields)
    return ListedRow(
      object,
      key: try fields.need("key", "a whole number", \.whole),
      try names.values("values", of: object.entity, in: fields) ?? [:]
    )
  }

  private func positions(_ key: String) throws(FormatError) -> [Int] {
    try fields.find(key, "a list of positions, from 0") { value in
      value.elements.flatMap { elements -> [Int]? in
        let numbers = elements.compactMap { $0.whole.flatMap(Int.init(exactly:)) }
        return numbers.count == elements.count && numbers.allSatisfy { $0 >= 0 } ? numbers : nil
      }
    } ?? []
  }
}
