import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct PredicateTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  private func insert(_ rows: [[String: Value]]) throws {
    try store.batchInsert(into: "Item", rows, by: BatchAuthor("app"))
  }

  /// Returns the keys that SQL selects; matching in memory must agree.
  private func keys(_ predicate: ObjectPredicate) throws -> [Int64] {
    let keys = try store.rows(1, where: predicate).keys
    let all = try store.rows(1)
    let matched = try all.keys.indices.filter { index in
      let row = all.values[index * all.width..<(index + 1) * all.width]
      return try predicate.matches(row, of: store.model.entities[0])
    }
    #expect(matched.map { all.keys[$0] } == keys, "in memory: \(predicate)")
    return keys
  }

  @Test(
    arguments: [
      (.in("count", [1, 3]), [2, 4]), (.in("count", []), []), (.in("count", [nil]), [1]),
      (.in("count", [nil, 2]), [1, 3]), (.not(.in("count", [1, 3])), [1, 3]),
      (.not(.in("count", [nil, 2])), [2, 4]), (.not(.in("count", [])), [1, 2, 3, 4]),
      (.between("count", 2, 3), [3, 4]), (.between("count", 3, 2), []),
      (.between("count", nil, 3), []), (.between("count", 1, nil), []),
      (.not(.between("count", 2, 3)), [1, 2]), (.not(.between("count", nil, 3)), [1, 2, 3, 4]),
      (.null("count"), [1]), (.not(.null("count")), [2, 3, 4]),
      (.compare("count", .less, 3), [2, 3]), (.not(.compare("count", .less, 3)), [1, 4]),
      (.not(.compare("count", .equal, 2)), [1, 2, 4]),
      (.compare("count", .notEqual, 2), [2, 4]),
      (.any([]), []), (.all([]), [1, 2, 3, 4]), (.not(.any([])), [1, 2, 3, 4]),
      (.not(.all([])), []),
      (.any([.null("count"), .compare("title", .equal, "c")]), [1, 3]),
      (.all([.any([.null("count"), .compare("count", .equal, 1)]), .like("title", "B%")]), [2]),
      (.not(.all([.compare("count", .greater, 0), .compare("count", .less, 3)])), [1, 4]),
      (.not(.not(.compare("count", .equal, 2))), [3]),
    ] as [(ObjectPredicate, [Int64])]
  )
  func `Either a predicate or its negation matches an object, null or not`(
    predicate: ObjectPredicate,
    expected: [Int64]
  ) throws {
    try insert([
      ["title": "a"], ["title": "b", "count": 1], ["title": "c", "count": 2],
      ["title": "d", "count": 3],
    ])
    #expect(try keys(predicate) == expected)
    let rest = Set<Int64>([1, 2, 3, 4]).subtracting(expected).sorted()
    #expect(try keys(.not(predicate)) == rest)
  }

  @Test(
    arguments: [
      ("milk", [1]), ("MILK", [1]), ("m%", [1, 2]), ("%k", [1]), ("m_lk", [1]), ("_", [6]),
      ("%", [1, 2, 3, 4, 5, 6]),
      ("", []), ("100\\%", [3]), ("100%", [3, 4]), ("a\\_b", [5]), ("a_b", [5]), ("\u{c9}", []),
      ("\u{e9}", [6]), ("milk\\", []), ("%\\", []), ("m%l%k", [1]), ("%%l%%", [1]), ("mil_k", []),
      ("MI%E", [2]), ("\\m\\i\\l\\k", [1]),
    ] as [(String, [Int64])]
  )
  func `Like has two wildcards, an escape, and ignores the case of ASCII letters`(
    pattern: String,
    expected: [Int64]
  ) throws {
    try insert(["milk", "Mice", "100%", "1000", "a_b", "\u{e9}"].map { ["title": .string($0)] })
    try insert([["note": "no title"]])
    #expect(try keys(.like("title", pattern)) == expected)
  }

  @Test func `Escaped text is literal`() throws {
    let odd = ["50%", "a_b", "c\\d", "%", "'; DROP TABLE Item; --", "plain", "50x", "axb"]
    try insert(odd.map { ["title": .string($0)] })
    for (index, title) in odd.enumerated() {
      #expect(try keys(.like("title", title.escapedForLike)) == [Int64(index) + 1])
    }
  }

  @Test func `Names and values never become SQL`() throws {
    try insert([["title": "a"]])
    let evil = "title\" OR 1=1; --"
    for predicate in [
      ObjectPredicate.in(evil, [1]), .between(evil, 1, 2), .like(evil, "a"), .null(evil),
      .not(.compare(evil, .equal, 1)), .any([.all([.null(evil)])]),
    ] {
      #expect(throws: HistoryError.unknownAttribute(evil, of: store.model.entities[0])) {
        try store.rows(1, where: predicate)
      }
    }
    #expect(try keys(.in("title", ["' OR 1=1; --", "\") OR 1=1; --"])) == [])
    #expect(try keys(.like("title", "' OR 1=1; --")) == [])
    #expect(try keys(.between("title", "' OR '1'='1", "' OR '1'='1")) == [])
  }

  @Test func `Values must match their attribute's type, and like requires text`() throws {
    for (predicate, name, type) in [
      (.in("count", [1, "x"]), "count", .int), (.between("ratio", 1, 2.0), "ratio", .double),
      (.between("ratio", 1.0, .double(.nan)), "ratio", .double),
      (.like("count", "1%"), "count", .int),
      (.like("body", "a"), "body", .data),
    ] as [(ObjectPredicate, String, AttributeType)] {
      #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: name, type: type)) {
        try store.rows(1, where: predicate)
      }
    }
  }

  @Test func `A predicate at every limit works, and one beyond it is refused by name`() throws {
    try insert([["title": "a", "count": 1]])
    let one = ObjectPredicate.compare("count", .equal, 1)
    func nested(_ depth: Int) -> ObjectPredicate {
      (0..<depth).reduce(one) { part, level in
        switch level % 3 {
        case 0: .not(.not(part)) == part ? part : .not(part)
        case 1: .all([one, part])
        default: .any([part, .null("title")])
        }
      }
    }
    _ = try keys(nested(PredicateLimit.depth.most))
    #expect(throws: HistoryError.predicateTooLarge(.depth, found: 17)) {
      try store.rows(1, where: nested(PredicateLimit.depth.most + 1))
    }
    let many = PredicateLimit.comparisons.most
    for join in [ObjectPredicate.all, ObjectPredicate.any] {
      #expect(try keys(join(Array(repeating: one, count: many))) == [1])
      #expect(throws: HistoryError.predicateTooLarge(.comparisons, found: many + 1)) {
        try store.rows(1, where: join(Array(repeating: one, count: many + 1)))
      }
    }
    let values = (1...PredicateLimit.values.most).map { Value.int(Int64($0)) }
    #expect(try keys(.in("count", values)) == [1])
    #expect(throws: HistoryError.predicateTooLarge(.values, found: values.count + 1)) {
      try store.rows(1, where: .in("count", values + [0]))
    }
    let pattern = String(repeating: "a", count: PredicateLimit.patternBytes.most)
    #expect(try keys(.like("title", pattern)) == [])
    #expect(throws: HistoryError.predicateTooLarge(.patternBytes, found: pattern.utf8.count + 1)) {
      try store.rows(1, where: .like("title", pattern + "a"))
    }
  }

  @Test func `The deepest and widest predicate together stay within SQLite's limits`() throws {
    try insert([["count": 1]])
    let one = ObjectPredicate.compare("count", .equal, 1)
    let wide = Array(repeating: one, count: 480)
    let deepest = (0..<PredicateLimit.depth.most - 1).reduce(ObjectPredicate.all(wide)) {
      part,
      level in
      level.isMultiple(of: 2) ? .not(part) : .all([one, part])
    }
    _ = try keys(deepest)
  }

  @Test(.property(cases: 12, seed: 7))
  func `Random predicates match the same objects in memory and in SQL`() async throws {
    try await property { source in
      let test = try Self()
      try test.insert(source.array("row", 1...44, length: .mostlyLongest, Self.row))
      var predicates = Repetition("case", 1...40, length: .mostlyLongest)
      while predicates.next(&source) { _ = try test.keys(Self.predicate(&source, depth: 0)) }
    }
  }

  private static let texts = ["", "a", "A", "ab", "%", "_", "\\", "\u{e9}", "e\u{301}", "b\u{0}c"]
  private static let names = ["title", "count", "ratio", "body", "done"]

  /// Returns a row in which every value is missing in one of four cases.
  private static func row(_ source: inout ChoiceSource) -> [String: Value] {
    var row: [String: Value] = [:]
    for name in names where source.bool(probability: 0.75) { row[name] = value(name, &source) }
    return row
  }

  private static func predicate(_ source: inout ChoiceSource, depth: Int) -> ObjectPredicate {
    source.span("predicate") { source in
      switch source.index(below: depth < 4 ? 8 : 4) {
      case 4: .not(predicate(&source, depth: depth + 1))
      case 5, 6: .all(source.array("part", 0...2) { predicate(&$0, depth: depth + 1) })
      case 7: .any(source.array("part", 0...2) { predicate(&$0, depth: depth + 1) })
      case let kind: comparison(kind, &source)
      }
    }
  }

  private static func comparison(_ kind: Int, _ source: inout ChoiceSource) -> ObjectPredicate {
    let name = source.element(of: names)
    switch kind {
    case 0:
      return .compare(name, source.element(of: Comparison.allCases), operand(name, &source))
    case 1: return .in(name, source.array("value", 0...3) { operand(name, &$0) })
    case 2: return .between(name, operand(name, &source), operand(name, &source))
    default:
      return .like("title", source.array("text", 0...3) { $0.element(of: texts) }.joined())
    }
  }

  /// Returns a value of an attribute, or null.
  private static func operand(_ name: String, _ source: inout ChoiceSource) -> Value {
    source.bool(probability: 0.2) ? .null : value(name, &source)
  }

  private static func value(_ name: String, _ source: inout ChoiceSource) -> Value {
    switch name {
    case "title": .string(source.element(of: texts))
    case "count": .int(Int64(source.int(in: -2...2)))
    case "ratio": .double(Double(source.int(in: -2...2)) / 2)
    case "body": .data(Data([UInt8(source.int(in: 0...2))]))
    default: .bool(source.bool())
    }
  }
}
