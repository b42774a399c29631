import PropertyTesting
import Testing

@Suite struct GeneratorTests {
  /// Draws one value from each of many random cases.
  private func values<Value>(_ generator: Generator<Value>, count: Int = 500) throws -> [Value] {
    try (0..<count).map { seed in
      var source = ChoiceSource(seed: UInt64(seed))
      return try source.draw(generator)
    }
  }

  /// Draws the value that a generator shrinks toward.
  private func simplest<Value>(_ generator: Generator<Value>) throws -> Value {
    var source = ChoiceSource(replaying: ChoiceSequence())
    return try source.draw(generator)
  }

  @Test func `Generators shrink toward their documented values`() throws {
    #expect(try simplest(.ints()) == 0)
    #expect(try simplest(.ints(in: -9 ... -3)) == -3)
    #expect(try simplest(.doubles()) == 0)
    #expect(try simplest(.bools()) == false)
    #expect(try simplest(.strings(count: 2...5)) == "aa")
    #expect(try simplest(Generator<Int>.ints().optional()) == nil)
    #expect(try simplest(Generator<Int>.ints().array(count: 1...4)) == [0])
    #expect(try simplest(.element(of: ["first", "second"])) == "first")
    #expect(try simplest(.oneOf([.always(5), .always(6)])) == 5)
  }

  @Test func `Integers reach small values, both signs and the ends`() throws {
    let ints = Set(try values(.ints(), count: 3_000))
    #expect(Set([0, 1, -1, .min, .max]).isSubset(of: ints))
    #expect(ints.count > 1_500)
  }

  @Test func `Strings have the count of scalars that was asked for, beyond ASCII too`() throws {
    let strings = try values(.strings(count: 2...4), count: 2_000)
    #expect(strings.allSatisfy { (2...4).contains($0.unicodeScalars.count) })
    #expect(strings.contains { $0.unicodeScalars.contains { $0.value > 0xFFFF } })
    #expect(strings.contains { $0.unicodeScalars.contains { $0.value < 0x20 } })
  }

  @Test func `Every scalar has its place, the printable ones first`() throws {
    let known: [(rank: Int, code: UInt32)] = [
      (0, 0x61), (26, 0x41), (52, 0x30), (94, 0x7E), (95, 0), (126, 0x1F), (127, 0x7F),
      (0xD7FF, 0xD7FF), (0xD800, 0xE000), (0x10F7FF, 0x10FFFF),
    ]
    for (rank, code) in known {
      var source = ChoiceSource(replaying: try #require(ChoiceSequence("1:\(rank)")))
      #expect(try source.draw(.scalars).value == code)
    }
  }

  @Test func `Collections keep to their counts`() throws {
    let arrays = try values(Generator<Int>.ints().array(count: 2...5))
    #expect(Set(arrays.map(\.count)) == [2, 3, 4, 5])
    let sets = try values(Generator<Int>.ints(in: 0...3).set(count: 0...9))
    #expect(sets.allSatisfy { $0.count <= 4 } && sets.contains { $0.count == 4 })
    let tables = try values(Generator<Int>.ints(in: 0...9).dictionary(to: .bools()))
    #expect(tables.contains { $0.count > 3 })
    let optionals = try values(Generator<Int>.ints().optional(nilProbability: 0.25))
    #expect((80...170).contains(optionals.count { $0 == nil }))
  }

  @Test func `Alternatives come in proportion to their weights`() throws {
    let drawn = try values(.frequency([(1, .always("a")), (3, .always("b"))]), count: 2_000)
    #expect((430...570).contains(drawn.count { $0 == "a" }))
  }

  @Test func `A generator may depend on a value drawn before`() throws {
    let generator = Generator<Int>.ints(in: 1...5).flatMap { count in
      Generator<Int>.ints(in: 0...count).array(count: count)
    }
    #expect(
      try values(generator).allSatisfy { $0.allSatisfy { $0 <= 5 } && (1...5).contains($0.count) }
    )
  }

  @Test func `Recursive values end at the depth`() throws {
    let generator = Generator<Int>.recursive(depth: 4, leaf: .always(1)) { child in
      child.array(count: 2).map { 1 + ($0.max() ?? 0) }
    }
    let depths = try values(generator)
    #expect(Set(depths) == [1, 2, 3, 4, 5])
  }

  @Test func `A filter records only the value it let through`() throws {
    let even = Generator<Int>.ints(in: 0...99, spread: .uniform).filter { $0 % 2 == 0 }
    #expect(try values(even).allSatisfy { $0 % 2 == 0 })
    var source = ChoiceSource(seed: 9)
    let drawn = try source.draw(even.array(count: 20))
    #expect(drawn.count == 20 && source.choiceCount == 20)
  }

  @Test func `A filter that lets nothing through discards the case`() {
    #expect(throws: Rejection("never")) {
      try values(Generator<Int>.ints().filter("never") { _ in false }, count: 1)
    }
  }
}
