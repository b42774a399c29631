import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct ReferenceModelTests {
  private var model: ReferenceModel

  init() throws {
    model = ReferenceModel(try Model([Story.item, Story.note]))
    model.apply([.insert("Item", 1, ["title": "a", "count": 1])])
  }

  /// Applies changes to a copy, and returns the net changes as short text.
  private func net(_ changes: PlannedChange...) -> [String] {
    var copy = model
    return copy.apply(changes).compactMap { change in
      change.type.map { "\($0) \(change.object)" }
    }
  }

  @Test func `Changes that cannot take effect are omitted`() {
    #expect(net(.insert("Item", 1)) == [])
    #expect(net(.update("Item", 2, ["count": 1])) == [])
    #expect(net(.delete("Item", 2)) == [])
    #expect(net(.delete("Item", 1), .update("Item", 1, ["count": 3])) == ["delete Item/1"])
  }

  @Test func `Edits of one object coalesce to their net effect`() {
    #expect(net(.insert("Item", 2), .update("Item", 2, ["count": 1])) == ["insert Item/2"])
    #expect(net(.insert("Item", 2), .delete("Item", 2)) == [])
    #expect(
      net(.insert("Item", 2), .delete("Item", 2), .insert("Item", 2)) == ["insert Item/2"]
    )
    #expect(net(.update("Item", 1, ["count": 2]), .delete("Item", 1)) == ["delete Item/1"])
    #expect(
      net(.update("Item", 1, ["count": 2]), .update("Item", 1, ["title": "b"])) == ["update Item/1"]
    )
    #expect(net(.delete("Item", 1), .insert("Item", 1)) == ["update Item/1"])
    #expect(
      net(.delete("Item", 1), .insert("Item", 1), .delete("Item", 1)) == ["delete Item/1"]
    )
  }

  @Test func `An update reports its columns and whether a value changed`() throws {
    var copy = model
    let change = try #require(
      copy.apply([.update("Item", 1, ["title": "a"]), .update("Item", 1, ["count": 2])]).first
    )
    #expect(change.columns == 0b11)
    #expect(change.changesValues)
    let both = try #require(
      copy.apply([.update("Item", 1, ["title": "b", "count": 2])]).first
    )
    #expect(both.columns == 0b11)
    #expect(both.changesValues)
    let other = try #require(
      copy.apply([.update("Item", 1, ["title": "b", "count": 3])]).first
    )
    #expect(other.changesValues)
    copy.apply([.update("Item", 1, ["count": 2])])
    let same = try #require(copy.apply([.update("Item", 1, ["count": 2])]).first)
    #expect(same.columns == 0b10)
    #expect(!same.changesValues)
  }

  @Test func `Edits that restore the old values change no value`() throws {
    var copy = model
    let there = try #require(
      copy.apply([.update("Item", 1, ["count": 2]), .update("Item", 1, ["count": 1])]).first
    )
    #expect(!there.changesValues)
    let again = try #require(
      copy.apply([.delete("Item", 1), .insert("Item", 1, ["title": "a", "count": 1])]).first
    )
    #expect(!again.changesValues)
    let other = try #require(copy.apply([.delete("Item", 1), .insert("Item", 1)]).first)
    #expect(other.changesValues)
  }

  @Test func `A delete keeps the previous values`() throws {
    var copy = model
    let change = try #require(copy.apply([.delete("Item", 1)]).first)
    #expect(change.before == ["title": "a", "count": 1])
    #expect(!change.isUpdatedFirst)
    #expect(copy.objects.isEmpty)
  }

  @Test func `A replaced object has the new values only`() throws {
    var copy = model
    let change = try #require(
      copy.apply([.delete("Item", 1), .insert("Item", 1, ["count": 7])]).first
    )
    #expect(change.isReplacement)
    #expect(copy.objects == [ObjectName("Item", 1): ["count": 7]])
  }

  @Test func `A write of many objects coalesces like one of few`() {
    var copy = model
    let inserts = (10..<60).map { PlannedChange.insert("Item", $0) }
    let updates = (10..<60).map { PlannedChange.update("Item", $0, ["count": 5]) }
    let deletes = (10..<35).map { PlannedChange.delete("Item", $0) }
    let net = copy.apply(inserts + updates + deletes)
    #expect(net.map(\.object.key) == Array(35..<60))
    #expect(net.allSatisfy { $0.type == .insert })
  }

  @Test func `A batch changes objects in key order, whatever the hash order`() {
    var copy = model
    copy.apply((20..<60).reversed().map { .insert("Item", Int64($0)) })
    let batch = PlannedBatch(actor: "app", type: .delete, entity: "Item", conditions: [])
    let changed = copy.apply(batch).map(\.object)
    #expect(changed.count > 40 && changed == changed.sorted())
  }

  @Test func `A batch changes the objects that match its conditions`() {
    var copy = model
    copy.apply([
      .insert("Item", 2, ["count": 2]), .insert("Item", 3, ["count": 3]), .insert("Item", 4),
      .insert("Note", 9, ["text": "x"]),
    ])
    let atLeastTwo = PlannedCondition("count", .greaterOrEqual, 2)
    let notThree = PlannedCondition("count", .notEqual, 3)
    let update = PlannedBatch(
      actor: "app",
      type: .update,
      entity: "Item",
      conditions: [atLeastTwo, notThree],
      values: ["title": "z"]
    )
    #expect(copy.apply(update).map(\.object) == [ObjectName("Item", 2)])
    let all = PlannedBatch(actor: "app", type: .delete, entity: "Item", conditions: [])
    #expect(copy.apply(all).count == 4)
    #expect(copy.objects.keys.map(\.entity) == ["Note"])
  }
}

@Suite struct PlannedConditionTests {
  private static let objects: [Values] = [
    ["title": "a"], ["title": "B", "count": 1], ["count": 2], ["title": "ab%", "count": 3],
  ]

  @Test(
    arguments: [
      (.compare("count", .equal, nil), [0]), (.compare("count", .notEqual, nil), [1, 2, 3]),
      (.compare("count", .less, nil), []), (.compare("count", .notEqual, 2), [1, 3]),
      (.not(.compare("count", .notEqual, 2)), [0, 2]), (.among("count", [1, 3]), [1, 3]),
      (.among("count", [nil, 2]), [0, 2]), (.among("count", []), []),
      (.between("count", 2, 3), [2, 3]), (.between("count", nil, 3), []),
      (.not(.between("count", 2, nil)), [0, 1, 2, 3]), (.like("title", "A%"), [0, 3]),
      (.like("title", "b"), [1]), (.like("title", "%\\%"), [3]), (.like("title", "_"), [0, 1]),
      (.like("title", "%"), [0, 1, 3]), (.not(.like("title", "%")), [2]),
      (.like("title", "a\\"), []),
      (.like("title", ""), []), (.like("title", "\\a"), [0]), (.all([]), [0, 1, 2, 3]),
      (.any([]), []),
      (.any([.compare("count", .equal, 1), .like("title", "a")]), [0, 1]),
      (.all([.compare("count", .greater, 1), .not(.compare("title", .equal, nil))]), [3]),
    ] as [(PlannedCondition, [Int])]
  )
  func `Either a condition or its negation holds for an object`(
    _ condition: PlannedCondition,
    _ expected: [Int]
  ) {
    let indices = Self.objects.indices
    #expect(indices.filter { condition.holds(for: Self.objects[$0]) } == expected)
    let opposite = indices.filter { PlannedCondition.not(condition).holds(for: Self.objects[$0]) }
    #expect(opposite == indices.filter { !expected.contains($0) })
  }
}

@Suite struct SQLComparisonTests {
  private func order(_ left: Value, _ right: Value) -> String {
    switch true {
    case left.satisfies(.less, right): "<"
    case left.satisfies(.greater, right): ">"
    case left.satisfies(.equal, right): "="
    default: "none"
    }
  }

  @Test func `Comparisons with null are false`() {
    for comparison in PlannedComparison.allCases {
      #expect(!Value.null.satisfies(comparison, .null))
      #expect(!Value.int(1).satisfies(comparison, .null))
      #expect(!Value.null.satisfies(comparison, .int(1)))
      #expect(!Value.double(.nan).satisfies(comparison, .double(.nan)))
    }
  }

  @Test func `Text is compared by bytes`() {
    #expect(order("Z", "a") == "<")
    #expect(order("\u{e9}", "e\u{301}") == ">")
    #expect(order("z", "\u{e9}") == "<")
    #expect(order("a", "ab") == "<")
    #expect(!Value.string("\u{e9}").isSame(as: "e\u{301}"))
  }

  @Test func `Booleans are 0 and 1`() {
    #expect(order(false, true) == "<")
    #expect(order(true, 1) == "=")
  }

  @Test func `Integers and doubles compare without rounding`() {
    #expect(order(.int(9_007_199_254_740_993), .double(9_007_199_254_740_992)) == ">")
    #expect(order(.int(.max), .double(0x1p63)) == "<")
    #expect(order(.int(.min), .double(-0x1p63)) == "=")
    #expect(order(.int(-1), .double(-1.5)) == ">")
    #expect(order(.double(.infinity), .int(.max)) == ">")
    #expect(order(.double(-.infinity), .int(.min)) == "<")
  }

  @Test func `Storage classes sort in SQLite's order`() {
    #expect(order(.double(.infinity), "") == "<")
    #expect(order("\u{10ffff}", .data(Data())) == "<")
    #expect(order(.data(Data([1])), .data(Data([1, 0]))) == "<")
    #expect(order(.data(Data([0xff])), .data(Data([1]))) == ">")
  }

  @Test func `Every comparison operator agrees with the sort order`() {
    let truths: [PlannedComparison: [Bool]] = [
      .equal: [false, true, false], .notEqual: [true, false, true],
      .less: [true, false, false], .lessOrEqual: [true, true, false],
      .greater: [false, false, true], .greaterOrEqual: [false, true, true],
    ]
    for (comparison, expected) in truths {
      #expect([1, 2, 3].map { Value.int($0).satisfies(comparison, 2) } == expected)
    }
  }
}
