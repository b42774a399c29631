import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of counts, sums, averages, least and greatest values, and distinct values.
///
/// Each answer is compared with plain code over arrays, with and without unsaved edits.
struct AggregateScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  /// The values that the objects of the entity `Row` must have in the checked context.
  private var rows: [ObjectID: Values] = [:]

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private static let types: [(name: String, type: AttributeType)] = [
    ("number", .int), ("real", .double), ("text", .string), ("flag", .bool), ("date", .date),
    ("data", .data), ("uuid", .uuid), ("big", .int),
  ]

  private static let texts = ["", "a", "B", "b", "bb", "é", "a\u{0}z", "\u{1f600}", "\u{ffff}"]

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let attributes = Self.types.map { Attribute($0.name, $0.type) }
    let model = try model([
      Entity("Row", attributes, indexes: [["number"], ["text"]]), Entity("Draft", attributes),
    ])
    let path = folder.file("aggregates")
    let saved = try Store(path: path, model: model, configuration: configuration())
    let retains = seed.draw(2) == 0
    let view = ObjectContext(store: saved, author: "app", retainsRegisteredObjects: retains)
    try fill(saved)
    try compare(view, "without edits")
    try compare(saved)
    try edit(view)
    try compare(view, "with unsaved edits")
    try view.save()
    try compare(view, "after a save")
    try draft(saved)
    try overflow(saved)
    try refuse(view)
    try refuse(saved)
  }

  // MARK: Objects

  private func value(_ name: String) -> Value {
    let number = seed.draw(9)
    if number == 8 { return .null }
    return switch name {
    case "number": .int(Int64(number - 4))
    // Sums of these numbers are exact in any order.
    case "real": .double(seed.pick([-1.0, 0.5, 2.0, 1_048_576.0]) * Double(number + 1))
    case "text": .string(seed.pick(Self.texts))
    case "flag": .bool(number < 4)
    case "date": .date(Date(timeIntervalSinceReferenceDate: Double(number) / 4 - 1))
    case "data": .data(Data((0..<number / 2).map { _ in UInt8(seed.draw(2) * 255) }))
    case "uuid":
      .uuid(
        UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(seed.draw(2))))
      )
    default: .int(Int64(number) << 32)
    }
  }

  private func values() -> Values {
    var values: Values = [:]
    for (name, _) in Self.types { values[name] = value(name) }
    return values
  }

  private mutating func fill(_ saved: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(saved, author: "import", name: "view")
    for _ in 0..<16 {
      let values = values()
      rows[try context.insert("Row", values).id] = values
    }
    try context.save()
  }

  /// Updates, deletes and inserts some objects, without saving them.
  private mutating func edit(_ view: ObjectContext) throws(HistoryError) {
    for id in rows.keys.sorted() {
      switch seed.draw(4) {
      case 0:
        let name = seed.pick(Self.types).name
        let value = value(name)
        try view.object(id)?.set(value, for: name)
        rows[id]?[name] = value
      case 1:
        view.delete(id)
        rows[id] = nil
      default: break
      }
    }
    for _ in 0..<4 {
      let values = values()
      rows[try view.insert("Row", values).id] = values
    }
  }

  // MARK: Comparisons

  /// A predicate, and the same condition in plain code.
  private typealias Condition = (predicate: ObjectPredicate?, holds: (Values) -> Bool)

  private func condition() -> Condition {
    let number = Int64(seed.draw(5) - 2)
    let conditions: [Condition] = [
      (.compare("number", .greater, .int(number)), { ($0["number"]?.int ?? .min) > number }),
      (.compare("flag", .equal, true), { $0["flag"] == .bool(true) }),
      (.not(.null("text")), { $0["text"] != .null }), (.any([]), { _ in false }),
      (.in("text", ["a", .null, "é"]), { ["a", .null, "é"].contains($0["text"]) }),
      (
        .all([.between("real", 0.0, 8.0), .not(.compare("flag", .equal, false))]),
        { (0...8).contains($0["real"]?.double ?? -1) && $0["flag"] != .bool(false) }
      ),
    ]
    return seed.pick(conditions)
  }

  private func compare(_ view: ObjectContext, _ when: String) throws(HistoryError) {
    let every: Condition = (nil, { _ in true })
    for (predicate, holds) in [every, condition()] {
      let found = rows.values.filter(holds)
      let count = try view.count("Row", where: predicate)
      expect(count == found.count, "\(when), the count is \(count), not \(found.count)")
      for (name, type) in Self.types {
        let list = PlainValues(found.map { $0[name] ?? .null })
        try compare(view, "Row", name, type, predicate, list, when)
      }
    }
  }

  private func compare(
    _ view: ObjectContext,
    _ entity: String,
    _ name: String,
    _ type: AttributeType,
    _ predicate: ObjectPredicate?,
    _ list: PlainValues,
    _ when: String
  ) throws(HistoryError) {
    let distinct = try view.distinctValues(of: name, in: entity, where: predicate)
    expect(distinct == list.distinct, "\(when), \(name) has \(distinct), not \(list.distinct)")
    let least = try view.minimum(of: name, in: entity, where: predicate)
    expect(least == list.least, "\(when), the least \(name) is \(least), not \(list.least)")
    let most = try view.maximum(of: name, in: entity, where: predicate)
    expect(most == list.greatest, "\(when), the greatest \(name) is \(most), not \(list.greatest)")
    guard type == .int || type == .double else { return }
    let sum = try view.sum(of: name, in: entity, where: predicate)
    let wanted = list.sum(type)
    expect(sum == wanted, "\(when), the sum of \(name) is \(sum), not \(wanted)")
    let average = try view.average(of: name, in: entity, where: predicate)
    expect(
      average == list.average,
      "\(when), the average of \(name) is \(average ?? .nan), not \(list.average ?? .nan)"
    )
  }

  /// Compares aggregates of a `Store`, requested without a context, with the expected rows.
  ///
  /// The query excludes some objects by their keys.
  private func compare(_ saved: Store) throws(HistoryError) {
    let excluded = rows.keys.map(\.key).sorted().filter { _ in seed.draw(3) == 0 }
    let (predicate, holds) = seed.draw(2) == 0 ? (nil, { _ in true }) : condition()
    let query = ObjectQuery(predicate, excluding: excluded)
    let found = rows.filter { !excluded.contains($0.key.key) && holds($0.value) }.values
    expect(try saved.count(1, query) == found.count, "the store's count is wrong: \(query)")
    for (name, type) in Self.types {
      let list = PlainValues(found.map { $0[name] ?? .null })
      let distinct = try saved.distinctValues(1, of: name, query)
      expect(
        distinct == list.distinct,
        "the store's distinct values of \(name) are \(distinct), not \(list.distinct)"
      )
      let least = try saved.aggregate(.minimum, 1, of: name, query).value
      expect(least == list.least, "the store's least \(name) is \(least), not \(list.least)")
      let most = try saved.aggregate(.maximum, 1, of: name, query).value
      expect(most == list.greatest, "the store's greatest \(name) is \(most), not \(list.greatest)")
      guard type == .int || type == .double else { continue }
      for aggregate in [Aggregate.sum, .average] {
        let answer = try saved.aggregate(aggregate, 1, of: name, query)
        expect(
          answer.count == list.present.count,
          "the \(aggregate) of \(name) is over \(answer.count) values, not \(list.present.count)"
        )
        expect(
          (answer.value == .null) == list.present.isEmpty,
          "the \(aggregate) of \(list.present.count) values of \(name) is \(answer.value)"
        )
      }
    }
  }

  /// Checks aggregates over zero, one and two unsaved objects, without saved objects.
  private func draft(_ saved: Store) throws(HistoryError) {
    let view = ObjectContext(store: saved, author: "app")
    var drafts: [Values] = []
    for count in 0..<3 {
      for (name, type) in Self.types where seed.draw(4) == 0 || ["number", "real"].contains(name) {
        let list = PlainValues(drafts.map { $0[name] ?? .null })
        try compare(view, "Draft", name, type, nil, list, "with \(count) unsaved objects only")
      }
      var values = values()
      values["number"] = .int(Int64(2 * seed.draw(5) + 1))
      values["real"] = .double(Double(seed.draw(5)) + 0.5)
      drafts.append(values)
      try view.insert("Draft", values)
    }
    expect(try saved.count(2, ObjectQuery()) == 0, "unsaved objects are in the store")
  }

  // MARK: Errors

  /// Sums integers of one sign: first a sum that just fits into 64 bits, then one that does not.
  private func overflow(_ saved: Store) throws(HistoryError) {
    let view = ObjectContext(store: saved, author: "app")
    let sign: Int64 = seed.draw(2) == 0 ? 1 : -1
    let (limit, part) = (sign > 0 ? Int64.max : .min, sign * Int64(seed.draw(100) + 1))
    for number in [limit - part, part] { try view.insert("Draft", ["big": .int(number)]) }
    func compare(_ when: String) throws(HistoryError) {
      let sum = try view.sum(of: "big", in: "Draft")
      expect(sum == .int(limit), "the sum of large integers \(when) is \(sum), not \(limit)")
    }
    try compare("before a save")
    try view.save()
    try compare("after a save")
    // First with an unsaved number, then with the number in the store.
    let last = try view.insert("Draft", ["big": .int(sign)])
    for _ in 0..<2 {
      expect(.sumTooLarge, of: "a sum of more than 64 bits") { () throws(HistoryError) in
        _ = try view.sum(of: "big", in: "Draft")
      }
      let average = try view.average(of: "big", in: "Draft") ?? 0
      let wanted = Double(limit) / 3
      expect(abs(average / wanted - 1) < 1e-9, "the average is \(average), not \(wanted)")
      let most = try view.maximum(of: "big", in: "Draft")
      let greatest = max(limit - part, part, sign)
      expect(most == .int(greatest), "the greatest integer is \(most), not \(greatest)")
      try view.save()
    }
    last.delete()
    try compare("after a delete")
    view.rollback()
    // Sums of doubles have no limit.
    try view.insert("Draft", ["real": 1e308])
    try view.insert("Draft", ["real": 1e308])
    let sum = try view.sum(of: "real", in: "Draft")
    expect(sum == .double(.infinity), "the sum of two large doubles is \(sum)")
    view.rollback()
  }

  private func refuse(_ view: ObjectContext) throws(HistoryError) {
    for (name, type) in Self.types where type != .int && type != .double {
      expect(.notANumber, of: "a sum of values of type \(type)") { () throws(HistoryError) in
        _ = try view.sum(of: name, in: "Row")
      }
      expect(.notANumber, of: "an average of values of type \(type)") { () throws(HistoryError) in
        _ = try view.average(of: name, in: "Row")
      }
    }
    let wrong: [(HistoryError.Code, String, String, ObjectPredicate?)] = [
      (.unknownAttribute, "none", "Row", nil), (.unknownEntity, "number", "None", nil),
      (.unknownAttribute, "number", "Row", .null("none")),
      (.unfitValue, "number", "Row", .compare("number", .less, "1")),
    ]
    for (code, name, entity, predicate) in wrong {
      let what = "\(entity).\(name) where \(predicate.map { "\($0)" } ?? "-")"
      expect(code, of: "a sum of \(what)") { () throws(HistoryError) in
        _ = try view.sum(of: name, in: entity, where: predicate)
      }
      expect(code, of: "an average of \(what)") { () throws(HistoryError) in
        _ = try view.average(of: name, in: entity, where: predicate)
      }
      expect(code, of: "a minimum of \(what)") { () throws(HistoryError) in
        _ = try view.minimum(of: name, in: entity, where: predicate)
      }
      expect(code, of: "a maximum of \(what)") { () throws(HistoryError) in
        _ = try view.maximum(of: name, in: entity, where: predicate)
      }
      expect(code, of: "distinct values of \(what)") { () throws(HistoryError) in
        _ = try view.distinctValues(of: name, in: entity, where: predicate)
      }
      guard name == "number" else { continue }
      expect(code, of: "a count of \(what)") { () throws(HistoryError) in
        _ = try view.count(entity, where: predicate)
      }
    }
  }

  private func refuse(_ saved: Store) throws(HistoryError) {
    for (name, type) in Self.types where type != .int && type != .double {
      for aggregate in [Aggregate.sum, .average] {
        expect(.notANumber, of: "the \(aggregate) of type \(type)") { () throws(HistoryError) in
          _ = try saved.aggregate(aggregate, 1, of: name, ObjectQuery())
        }
      }
    }
  }
}
