import HistoryStore
import HistoryTypes
import ObjectContexts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of values: predicates, orders, refused values, refreshes, tokens and tombstones.
struct ValueScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private func draw(_ count: Int) -> Int { seed.draw(count) }

  private func pick<Element>(_ list: [Element]) -> Element { seed.pick(list) }

  private func text(_ letters: [String], _ count: Int) -> String {
    (0..<draw(count + 1)).map { _ in pick(letters) }.joined()
  }

  private func value(_ name: String) -> Value {
    if draw(6) == 0 { return .null }
    return switch name {
    case "text": .string(text(["a", "A", "b", "%", "_", "\\", "é", "\u{0}"], 5))
    case "number": .int(pick([.min, -1, 0, 1, 2, 3, .max]))
    case "real": .double(pick([-1e300, -0.5, 0, 0.5, 2, 1e300]))
    case "flag": .bool(draw(2) == 0)
    default: .string(pick(["plain", "rich"]))
    }
  }

  /// The identifier of a store that does not exist.
  private static let none = StoreID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
  private static let names = ["text", "number", "real", "flag", "kind"]

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let types: [AttributeType] = [.string, .int, .double, .bool, .string]
    let attributes = zip(Self.names, types).map {
      Attribute($0, $1, preservesValueInHistoryOnDeletion: true)
    }
    let model = try model([Entity("Text", attributes)])
    let path = folder.file("values")
    let saved = try Store(path: path, model: model, configuration: configuration())
    let context = ObjectContext.retaining(saved, author: "app", name: "view")
    var rows: [Int64: [Value]] = [:]
    for _ in 0..<30 {
      let values = Self.names.map(value)
      let object = try context.insert("Text", Dictionary(zip(Self.names, values)) { $1 })
      try context.save()
      rows[object.id.key] = values
    }
    try find(in: saved, rows)
    try sort(in: saved, rows)
    try refuse(in: saved)
    try refresh(saved)
    try orderTokens(of: saved)
    try label(path)
    try hideTombstones(of: saved)
  }

  // MARK: Conditions

  private func condition(_ depth: Int) -> ObjectPredicate {
    let name = pick(Self.names)
    switch draw(depth > 0 ? 8 : 5) {
    case 0: return .in(name, (0..<draw(4)).map { _ in value(name) })
    case 1: return .between(name, value(name), value(name))
    case 2, 3: return .like("text", text(["a", "B", "%", "_", "\\", "é", "%a", "\\%"], 4))
    case 5: return .not(condition(depth - 1))
    case 6: return .all((0..<draw(4)).map { _ in condition(depth - 1) })
    case 7: return .any((0..<draw(4)).map { _ in condition(depth - 1) })
    default: return .compare(name, pick(Comparison.allCases), value(name))
    }
  }

  /// Returns whether a row matches a predicate, by Swift code that follows the documentation.
  private func holds(_ condition: ObjectPredicate, _ row: [Value]) -> Bool {
    func at(_ name: String) -> Value { row[Self.names.firstIndex(of: name) ?? 0] }
    switch condition {
    case .compare(let name, let comparison, let value):
      if at(name) == .null || value == .null {
        let isEqual = at(name) == value
        return comparison == .equal ? isEqual : comparison == .notEqual && at(name) != .null
      }
      let order = Self.order(at(name), value)
      return switch comparison {
      case .equal: order == 0
      case .notEqual: order != 0
      case .less: order < 0
      case .lessOrEqual: order <= 0
      case .greater: order > 0
      case .greaterOrEqual: order >= 0
      }
    case .in(let name, let values): return values.contains(at(name))
    case .between(let name, let low, let high):
      if at(name) == .null || low == .null || high == .null { return false }
      return Self.order(at(name), low) >= 0 && Self.order(at(name), high) <= 0
    case .like(let name, let pattern):
      guard case .string(let text) = at(name) else { return false }
      return Self.matches(Self.scalars(text)[...], Self.scalars(pattern)[...])
    case .all(let parts): return parts.allSatisfy { holds($0, row) }
    case .any(let parts): return parts.contains { holds($0, row) }
    case .not(let part): return !holds(part, row)
    }
  }

  private static func order(_ left: Value, _ right: Value) -> Int {
    func sign(_ isLess: Bool, _ isGreater: Bool) -> Int { isLess ? -1 : isGreater ? 1 : 0 }
    return switch (left, right) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.int(let left), .int(let right)): sign(left < right, left > right)
    case (.double(let left), .double(let right)): sign(left < right, left > right)
    case (.bool(let left), .bool(let right)): sign(!left && right, left && !right)
    case (.string(let left), .string(let right)):
      sign(
        Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8)),
        Array(right.utf8).lexicographicallyPrecedes(Array(left.utf8))
      )
    default: 0
    }
  }

  private static func scalars(_ text: String) -> [UInt32] {
    text.unicodeScalars.map(\.value).prefix { $0 != 0 }.map {
      (0x41...0x5a).contains($0) ? $0 + 32 : $0
    }
  }

  private static func matches(_ text: ArraySlice<UInt32>, _ pattern: ArraySlice<UInt32>) -> Bool {
    // A pattern that ends with an escape character matches no text.
    var isEscaped = false
    for scalar in pattern { isEscaped = !isEscaped && scalar == 0x5c }
    return !isEscaped && matchesWhole(text, pattern)
  }

  private static func matchesWhole(
    _ text: ArraySlice<UInt32>,
    _ pattern: ArraySlice<UInt32>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == 0x25 {
      return (text.startIndex...text.endIndex).contains { matchesWhole(text[$0...], rest) }
    }
    guard let next = text.first else { return false }
    if first == 0x5c, let literal = rest.first {
      return next == literal && matchesWhole(text.dropFirst(), rest.dropFirst())
    }
    return (first == 0x5f || first == next) && matchesWhole(text.dropFirst(), rest)
  }

  /// Finds objects by a predicate: in SQL for saved rows, in Swift for objects with unsaved changes.
  private mutating func find(
    in store: Store,
    _ rows: [Int64: [Value]]
  ) throws(HistoryError) {
    let saved = ObjectContext(store: store, author: nil, name: "query")
    let unsaved = ObjectContext(store: store, author: nil, name: "query")
    var copies: [ObjectID: [Value]] = [:]
    for values in rows.values {
      let copy = try unsaved.insert("Text", Dictionary(zip(Self.names, values)) { $1 })
      copies[copy.id] = values
    }
    for _ in 0..<60 {
      let condition = condition(2)
      let expected = rows.filter { holds(condition, $0.value) }.map(\.key).sorted()
      let found = try saved.objects("Text", where: condition).map(\.id.key).sorted()
      expect(found == expected, "\(condition) selects \(found), not \(expected)")
      let twice = try unsaved.objects("Text", where: condition)
      let right = twice.allSatisfy { holds(condition, copies[$0.id] ?? rows[$0.id.key] ?? []) }
      expect(
        right && twice.count == 2 * expected.count,
        "with unsaved objects, \(condition) selects \(twice.count) objects, not \(2 * expected.count)"
      )
    }
  }

  private mutating func sort(
    in store: Store,
    _ rows: [Int64: [Value]]
  ) throws(HistoryError) {
    let context = ObjectContext(store: store, author: nil, name: "query")
    for round in 0..<20 {
      var now = rows
      if round >= 10 {
        // Unsaved edits change the position of objects in the sort order.
        for object in try context.objects("Text") where draw(4) == 0 {
          let name = pick(Self.names)
          try object.set(value(name), for: name)
        }
        for object in try context.objects("Text") {
          now[object.id.key] = try object.values(of: Self.names)
        }
      }
      let orders = (0..<(1 + draw(3))).map { _ in
        ObjectOrder(pick(Self.names), isAscending: draw(2) == 0)
      }
      let expected = now.sorted { left, right in
        for order in orders {
          let place = Self.names.firstIndex(of: order.attribute) ?? 0
          let sign = Self.order(left.value[place], right.value[place])
          if sign != 0 { return (sign < 0) == order.isAscending }
        }
        return left.key < right.key
      }
      let (offset, limit) = (draw(8), pick([nil, 0, 1, 5, 100]))
      let found = try context.objects("Text", sortedBy: orders, limit: limit, offset: offset)
      let wanted = expected.dropFirst(offset).prefix(limit ?? .max).map(\.key)
      expect(found.map(\.id.key) == wanted, "the sort orders \(orders) give a wrong order")
    }
  }

  // MARK: Contexts

  /// Sets values of wrong types and NaN for each attribute, and creates invalid models; all must fail.
  private mutating func refuse(in store: Store) throws(HistoryError) {
    let values: [Value] = [
      .int(1), .double(1), .string("1"), .data(Data([1])), .bool(true),
      .date(Date(timeIntervalSinceReferenceDate: 1)), .uuid(Self.none.uuid), .double(.nan),
    ]
    let context = ObjectContext.retaining(store, author: "app", name: "view")
    let (object, by) = (try context.insert("Text"), BatchAuthor("app"))
    let writer = WriterID(rawValue: 7)
    for (index, attribute) in store.model.entities[0].attributes.enumerated() {
      for (place, value) in values.enumerated()
      where value.type != attribute.type || place == values.count - 1 {
        let what = "\(value) for \(attribute.type)"
        expect(.unfitValue, of: "to set \(what)") { () throws(HistoryError) in
          try object.set(value, for: attribute.name)
        }
        expect(.unfitValue, of: "a batch that sets \(what)") { () throws(HistoryError) in
          try store.batchUpdate("Text", where: nil, set: [attribute.name: value], by: by)
        }
        var row = Array(repeating: Value.null, count: Self.names.count)
        row[index] = value
        let edit = ObjectEdit(.insert, object.id, values: row)
        expect(.unfitValue, of: "a save of \(what)") { () throws(HistoryError) in
          let edits = SaveRequest(
            edits: [edit],
            author: nil,
            contextName: nil,
            writer: writer,
            policy: .error
          )
          _ = try store.save(edits)
        }
      }
    }
    context.rollback()
    for entity: Int32 in [0, 99] {
      let id = ObjectID(entity: entity, key: 1)
      expect(try context.object(id) == nil, "an object of the missing entity \(entity) is found")
      context.delete(id)
    }
    let many = (0...Model.attributeCountMax).map { Attribute("a\($0)", .int) }
    let models: [[Entity]] = [
      [], [Entity("A", []), Entity("a", [])], [Entity("1", [])], [Entity("history_a", [])],
      [Entity("A", [Attribute("b", .int), Attribute("B", .int)])], [Entity("A", many)],
    ]
    for model in models where (try? Model(model)) != nil {
      faults.append("an invalid model is accepted: \(model)")
    }
  }

  /// Refreshes an object that another context has changed, with and without unsaved edits.
  private mutating func refresh(_ store: Store) throws(HistoryError) {
    let first = ObjectContext.retaining(store, author: "app", name: "view")
    let second = ObjectContext.retaining(store, author: "widget", name: "view")
    let object = try first.insert("Text", ["number": 1, "text": "x"])
    try first.save()
    guard let other = try second.object(object.id) else {
      return faults.append("an object is missing in a second context")
    }
    try object.set(2, for: "number")
    try first.save()
    expect(try other["number"] == 1, "a context shows a change that it has not merged")
    try other.set("mine", for: "text")
    try second.refresh(object.id)
    var values = try other.values(of: ["number", "text"])
    expect(values == [2, "mine"], "after a refresh that keeps edits, the values are \(values)")
    try second.refresh(object.id, keepingEdits: false)
    values = try other.values(of: ["number", "text"])
    expect(values == [2, "x"], "after a refresh that discards edits, the values are \(values)")
    expect(.unknownObject, of: "to refresh an object of an unknown entity") {
      () throws(HistoryError) in
      try second.refresh(ObjectID(entity: 99, key: 1))
    }
    object.delete()
    try first.save()
    try second.refresh(object.id)
    expect(try second.object(object.id) == nil, "a deleted object is still found after a refresh")
  }

  // MARK: Identities

  private mutating func orderTokens(of store: Store) throws(HistoryError) {
    let tokens = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.token)
    let areSorted = zip(tokens, tokens.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) }
    expect(areSorted, "a token of a later transaction is not greater")
    expect(!tokens.contains { $0 < $0 }, "a token compares as less than itself")
    guard let last = tokens.last else { return }
    let later = HistoryToken(store: last.store, number: last.number, mark: last.mark &+ 1)
    expect(
      last.mark == .max || last < later,
      "tokens with equal numbers are not ordered by their random marks"
    )
    let foreign = HistoryToken(store: Self.none, number: last.number + 1, mark: 0)
    expect(
      foreign < last && !(last < foreign),
      "tokens of two stores are not ordered by the store IDs"
    )
  }

  /// Saves under process names that look like the text in which the file encodes a transaction's writer.
  private mutating func label(_ path: String) throws(HistoryError) {
    let zeros = String(repeating: "0", count: 15)
    let names = [
      "x", "writer=\(zeros)1", "x writer=\(zeros)1", "xwriter=\(zeros)1", "writer=+\(zeros)",
      "x writer=+\(zeros)", "é writer=\(zeros)g", "writer=", "writer=\(zeros)f x",
    ]
    for name in names {
      var configuration = configuration()
      configuration.processID = name
      let store = try Store(path: path, configuration: configuration)
      let numbers = [try insert(into: store), try insertWithoutContext(into: store)]
      let other = try Store(path: path, configuration: self.configuration())
      for store in [store, other] {
        for number in numbers {
          let found = try store.transaction(TransactionNumber(number))?.processID
          expect(found == name, "the process name \(name) is read as \(found ?? "none")")
        }
      }
    }
  }

  /// Inserts by a batch request without a context, so that the transaction has no writer.
  private func insertWithoutContext(into store: Store) throws(HistoryError) -> Int64 {
    let result = try store.batchInsert(into: "Text", [[:]], by: BatchAuthor("app"))
    return result.transaction?.number.rawValue ?? 0
  }

  private mutating func hideTombstones(of store: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(store, author: "app", name: "view")
    let object = try context.insert("Text", ["text": "secret"])
    try context.save()
    object.delete()
    try context.save()
    let last = Value.int(try store.currentToken().number)
    let isPacked = store.configuration.layout == .packed
    let raw =
      isPacked
      ? "SELECT changes FROM history_transaction WHERE number = ?1"
      : "SELECT ZTOMBSTONE0 FROM ACHANGE JOIN ATRANSACTION t ON ZTRANSACTIONID = t.Z_PK "
        + "WHERE t.Z_PK = ?1"
    let questions: [(sql: String, hides: Bool)] = [
      ("SELECT tombstone FROM history_changes WHERE number = ?1", true),
      ("SELECT tombstone, type FROM history_changes WHERE number = ?1", true),
      ("SELECT type FROM history_changes WHERE number = ?1", false), (raw, true),
    ]
    for (sql, hides) in questions {
      for shows in [true, false] {
        var rows: [[Value]] = []
        let isHidden = try store.query(
          sql,
          [last],
          showsTombstones: shows,
          columns: { _ in },
          row: { rows.append($0) }
        )
        expect(isHidden == (hides && !shows), "\(sql) is reported to hide tombstones: \(isHidden)")
        let isNull = rows.first?.first == .null
        expect(!rows.isEmpty && isNull == (hides && !shows), "\(sql) returns \(rows)")
      }
    }
  }
}
