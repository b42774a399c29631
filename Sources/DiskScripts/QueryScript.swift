import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of queries by attributes of all types: predicates, orders, limits, query plans.
///
/// Each result is compared with plain code over arrays, for saved objects and with unsaved edits.
/// The script also reads long rows and history.
struct QueryScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom
  /// The values that the objects must have in the checked context.
  private var rows: [ObjectID: Values] = [:]

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  static let types: [(name: String, type: AttributeType)] = [
    ("text", .string), ("number", .int), ("real", .double), ("flag", .bool), ("date", .date),
    ("data", .data), ("uuid", .uuid),
  ]

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let attributes = Self.types.map {
      Attribute($0.name, $0.type, preservesValueInHistoryOnDeletion: true)
    }
    let numbers = (0..<Self.numberCount).map { Attribute("n\($0)", .int) }
    let indexes: [[ObjectOrder]] = [
      ["number"], [.ascending("text", collation: .caseInsensitive), .descending("date")],
    ]
    let model = try model([
      Entity("Row", attributes, indexes: indexes),
      Entity("Long", [Attribute("text", .string)] + numbers + [Attribute("data", .data)]),
    ])
    var configuration = configuration()
    configuration.cacheSizeKiB = 4096
    let path = folder.file("queries")
    let saved = try Store(path: path, model: model, configuration: configuration)
    let writer = ObjectContext.retaining(saved, author: "app", name: "view")
    for _ in 0..<20 {
      let values = values()
      rows[try writer.insert("Row", values).id] = values
    }
    try writer.save()
    let view = ObjectContext(store: saved, author: "app", retainsRegisteredObjects: true)
    try find(view)
    try edit(view)
    try find(view)
    try refuse(view)
    view.rollback()
    try explain(view)
    try readLong(saved)
    try readHistory(saved)
  }

  // MARK: Objects

  func value(_ name: String) -> Value {
    let number = seed.draw(7)
    if number == 6 { return .null }
    return switch name {
    case "text":
      .string(seed.pick(["", "a", "A", "aB", "Ab", "b", "[", "é", "É", "Z", "z\u{1}\"\\"]))
    case "number": .int(seed.pick([.min, -1, 0, 1, .max]))
    case "real": .double(seed.pick([-.infinity, -2.5, 0, 0.25, 4096, .infinity]))
    case "flag": .bool(number < 3)
    case "date": .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1.5 - 3))
    case "data": .data(Data((0..<number / 2).map { _ in UInt8(seed.draw(2) * 200) }))
    default:
      .uuid(
        UUID(uuid: (UInt8(number * 40), 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
      )
    }
  }

  private func values() -> Values {
    var values: Values = [:]
    for (name, _) in Self.types { values[name] = value(name) }
    return values
  }

  /// Updates, deletes and inserts some objects, without saving them.
  private mutating func edit(_ view: ObjectContext) throws(HistoryError) {
    for id in rows.keys.sorted() where seed.draw(3) == 0 {
      if seed.draw(4) == 0 {
        view.delete(id)
        rows[id] = nil
      } else {
        let name = seed.pick(Self.types).name
        let value = value(name)
        try view.object(id)?.set(value, for: name)
        rows[id]?[name] = value
      }
    }
    for _ in 0..<3 {
      let values = values()
      rows[try view.insert("Row", values).id] = values
    }
  }

  // MARK: Results

  /// Runs queries by an attribute of each type, with random predicates, orders, limits and offsets.
  private func find(_ view: ObjectContext) throws(HistoryError) {
    for (name, _) in Self.types {
      let (one, other) = (value(name), value(name))
      let comparison = seed.pick(Comparison.allCases)
      let predicates: [ObjectPredicate] = [
        .compare(name, comparison, one), .in(name, [one, other]), .between(name, one, other),
        .not(.any([.compare(name, .less, one), .in(name, [other])])),
      ]
      try compare(view, seed.pick(predicates))
    }
    for _ in 0..<3 { try compare(view, nil) }
    for object in try view.objects("Row") {
      let values = try object.values(of: Self.types.map(\.name))
      let right = Self.types.map { rows[object.id]?[$0.name] ?? .null }
      expect(values == right, "\(object.id) has the values \(values), not \(right)")
    }
  }

  private func compare(
    _ view: ObjectContext,
    _ predicate: ObjectPredicate?
  ) throws(HistoryError) {
    let orders = (0..<(1 + seed.draw(2))).map { _ in
      ObjectOrder(
        seed.pick(["text"] + Self.types.map(\.name)),
        isAscending: seed.draw(2) == 0,
        collation: seed.pick([.binary, .caseInsensitive])
      )
    }
    let (limit, offset) = (seed.pick([nil, 3, .max]), seed.draw(4))
    let found = try view.objects(
      "Row",
      where: predicate,
      sortedBy: orders,
      limit: limit,
      offset: offset
    )
    let wanted = sorted(predicate, orders).dropFirst(offset).prefix(limit ?? .max)
    let what = "\(predicate.map { "\($0)" } ?? "everything") by \(orders) \(offset)+\(limit ?? -1)"
    expect(found.map(\.id) == Array(wanted), "\(what) is \(found.map(\.id)), not \(wanted)")
    let records = try view.records(
      Row.self,
      where: predicate,
      sortedBy: orders,
      limit: limit,
      offset: offset
    )
    let right = wanted.map {
      Row(text: rows[$0]?["text"]?.string, number: rows[$0]?["number"]?.int)
    }
    expect(records == right, "the records of \(what) are \(records), not \(right)")
  }

  /// Returns the objects that match a predicate, in the order of the sort orders.
  private func sorted(_ predicate: ObjectPredicate?, _ orders: [ObjectOrder]) -> [ObjectID] {
    let matching = rows.filter { id, values in predicate.map { holds($0, values) } ?? true }
    let sorted = matching.sorted { left, right in
      for order in orders {
        let (one, other) = (left.value[order.attribute], right.value[order.attribute])
        let sign = Self.order(one ?? .null, other ?? .null, order.collation)
        if sign != 0 { return (sign < 0) == order.isAscending }
      }
      return left.key.key < right.key.key
    }
    return sorted.map(\.key)
  }

  private func holds(_ predicate: ObjectPredicate, _ row: Values) -> Bool {
    switch predicate {
    case .compare(let name, let comparison, let value):
      let mine = row[name] ?? .null
      if mine == .null || value == .null {
        return comparison == .equal ? mine == value : comparison == .notEqual && mine != .null
      }
      let sign = PlainValues.order(mine, value)
      switch comparison {
      case .equal: return sign == 0
      case .notEqual: return sign != 0
      case .less: return sign < 0
      case .lessOrEqual: return sign <= 0
      case .greater: return sign > 0
      case .greaterOrEqual: return sign >= 0
      }
    case .in(let name, let list): return list.contains(row[name] ?? .null)
    case .between(let name, let low, let high):
      let value = row[name] ?? .null
      guard value != .null, low != .null, high != .null else { return false }
      return PlainValues.order(low, value) <= 0 && PlainValues.order(value, high) <= 0
    case .like: return false
    case .all(let parts): return parts.allSatisfy { holds($0, row) }
    case .any(let parts): return parts.contains { holds($0, row) }
    case .not(let part): return !holds(part, row)
    }
  }

  private static func order(_ left: Value, _ right: Value, _ collation: TextCollation) -> Int {
    func folded(_ value: Value) -> Value {
      guard collation == .caseInsensitive, case .string(let text) = value else { return value }
      let scalars = text.unicodeScalars.map {
        $0.isASCII ? $0.properties.lowercaseMapping : "\($0)"
      }
      return .string(scalars.joined())
    }
    return PlainValues.order(folded(left), folded(right))
  }

  // MARK: Errors and limits

  private func refuse(_ view: ObjectContext) throws(HistoryError) {
    let deepest = PredicateLimit.depth.most
    let pattern = String(repeating: "a", count: PredicateLimit.patternBytes.most)
    func nested(_ count: Int) -> ObjectPredicate {
      (0..<count).reduce(.compare("number", .equal, 0)) { part, _ in .not(part) }
    }
    func list(_ count: Int) -> ObjectPredicate {
      .all(Array(repeating: .compare("flag", .notEqual, .null), count: count))
    }
    func many(_ count: Int) -> ObjectPredicate {
      .in("number", Array(repeating: 1, count: count))
    }
    let (comparisons, values) = (PredicateLimit.comparisons.most, PredicateLimit.values.most)
    for predicate in [nested(deepest), list(comparisons), .like("text", pattern)] {
      _ = try view.count("Row", where: predicate)
    }
    let wrong: [(HistoryError.Code, String, ObjectPredicate)] = [
      (.predicateTooLarge, "depth", nested(deepest + 1)),
      (.predicateTooLarge, "comparisons", list(comparisons + 1)),
      (.predicateTooLarge, "values", many(values + 1)),
      (.predicateTooLarge, "pattern", .like("text", pattern + "a")),
      (.unknownAttribute, "no attribute", .null("none")),
      (.unfitValue, "a pattern for data", .like("data", "a")),
      (.unfitValue, "a text for a date", .in("date", ["a"])),
      (.unfitValue, "a bound of another type", .between("number", 1, 2.0)),
    ]
    for (code, what, predicate) in wrong {
      expect(code, of: "a predicate with \(what)") { () throws(HistoryError) in
        _ = try view.objects("Row", where: predicate)
      }
      guard code != .predicateTooLarge else { continue }
      expect(code, of: "a plan with \(what)") { () throws(HistoryError) in
        _ = try view.explain("Row", where: predicate)
      }
    }
    try refuseNames(view)
  }

  /// Makes queries with missing attributes or negative bounds; all must fail.
  private func refuseNames(_ view: ObjectContext) throws(HistoryError) {
    for (limit, offset) in [(-1, 0), (1, -1)] {
      expect(.negativeBound, of: "the bounds \(limit) and \(offset)") { () throws(HistoryError) in
        _ = try view.objects("Row", limit: limit, offset: offset)
      }
    }
    expect(.unknownAttribute, of: "an order by a missing attribute") { () throws(HistoryError) in
      _ = try view.objects("Row", sortedBy: ["none"])
    }
    // A row in memory is matched without SQL, which would refuse the attribute first.
    guard let entity = view.store.model.entity(1) else { return }
    let empty = Array(repeating: Value.null, count: Self.types.count)
    expect(.unknownAttribute, of: "a match of a missing attribute") { () throws(HistoryError) in
      _ = try ObjectPredicate.null("none").matches(empty[...], of: entity)
    }
  }

  private func explain(_ view: ObjectContext) throws(HistoryError) {
    let plans: [(String, [String])] = [
      (try view.explain("Row", where: .compare("number", .equal, 1)), ["SEARCH", "INDEX"]),
      (try view.explain("Row", where: .compare("real", .equal, 1.0)), ["SCAN"]),
      (try view.explain("Row", sortedBy: ["real"], limit: 1), ["SCAN", "B-TREE FOR ORDER BY"]),
      (
        try view.explain(
          "Row",
          sortedBy: [.ascending("text", collation: .caseInsensitive), .descending("date")],
          limit: 1
        ), ["SCAN", "INDEX"]
      ),
      (
        try view.explain(
          "Row",
          where: .any([.compare("number", .equal, 1), .compare("number", .equal, 2)])
        ), ["number"]
      ),
    ]
    for (plan, words) in plans {
      let isRight = words.allSatisfy { plan.contains($0) }
      expect(isRight, "the plan of a query lacks some of \(words): \(plan)")
      expect(
        words.contains("SCAN") != plan.contains("SEARCH"),
        "a plan searches instead of scanning, or scans instead of searching: \(plan)"
      )
    }
  }
}

/// A record of the entity `Row` with some of its attributes.
private struct Row: ObjectRecord, Equatable {
  var text: String?
  var number: Int64?
}
