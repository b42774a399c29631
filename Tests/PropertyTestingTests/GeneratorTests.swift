import Foundation
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

  @Test func `Strings have the requested count of scalars, beyond ASCII too`() throws {
    let strings = try values(.strings(count: 2...4), count: 2_000)
    #expect(strings.allSatisfy { (2...4).contains($0.unicodeScalars.count) })
    #expect(strings.contains { $0.unicodeScalars.contains { $0.value > 0xFFFF } })
    #expect(strings.contains { $0.unicodeScalars.contains { $0.value < 0x20 } })
  }

  @Test func `Every scalar has a rank, with printable ones first`() throws {
    let known: [(rank: Int, code: UInt32)] = [
      (0, 0x61), (26, 0x41), (52, 0x30), (94, 0x7E), (95, 0), (126, 0x1F), (127, 0x7F),
      (0xD7FF, 0xD7FF), (0xD800, 0xE000), (0x10F7FF, 0x10FFFF),
    ]
    for (rank, code) in known {
      var source = ChoiceSource(replaying: try #require(ChoiceSequence("1:\(rank)")))
      #expect(try source.draw(.scalars).value == code)
    }
  }

  @Test func `Collections have counts in their range`() throws {
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

  @Test func `Recursive values stay within their total size`() throws {
    let generator = Generator<Int>.recursive(depth: 50, size: 7, leaf: .always(0)) { child in
      child.array(count: 3).map { 1 + $0.reduce(0, +) }
    }
    let sizes = try values(generator, count: 1_000)
    #expect(sizes.max() == 7 && sizes.min() == 0)
    // Each value has its own budget.
    let pairs = try values(generator.paired(with: generator), count: 1_000)
    #expect(pairs.contains { $0.0 == 7 && $0.1 == 7 })
  }

  @Test func `Integers of every width and sign reach zero, one and both ends`() throws {
    func check<Value: FixedWidthInteger & Sendable>(_ type: Value.Type) throws {
      let drawn = Set(try values(Generator<Value>.integers(), count: 3_000))
      #expect(Set([0, 1, .min, .max]).isSubset(of: drawn), "\(type)")
      #expect(try simplest(Generator<Value>.integers()) == 0)
      #expect(try simplest(Generator<Value>.integers(in: 5...9)) == 5)
    }
    try check(Int8.self)
    try check(UInt8.self)
    try check(Int64.self)
    try check(UInt64.self)
    try check(UInt.self)
    let few = try values(Generator<UInt64>.integers(in: UInt64.max - 3 ... .max))
    #expect(Set(few) == Set(UInt64.max - 3 ... .max))
  }

  @Test func `Unsigned numbers of 64 bits shrink along their whole range`() throws {
    let result = PropertyRunner(seed: 1, cases: 2_000).run { source in
      let number = try source.draw(Generator<UInt64>.integers())
      return number > 1 << 63 ? .failed(label: "big", message: "\(number)") : .passed
    }
    #expect(try #require(result.failure).shrunk.message == "\(UInt64(1) << 63 + 1)")
  }

  @Test func `Doubles of every kind are drawn`() throws {
    let doubles = try values(.anyDoubles, count: 3_000)
    #expect(doubles.contains { $0.isNaN } && doubles.contains { $0.isInfinite })
    #expect(doubles.contains { $0 == 0 && $0.sign == .minus })
    #expect(doubles.contains { $0.isFinite && abs($0) > 1e100 } && doubles.contains(0))
    #expect(try simplest(.anyDoubles) == 0)
  }

  @Test func `Data and dates stay in their ranges and shrink to their origins`() throws {
    let data = try values(.data(count: 1...3))
    #expect(Set(data.map(\.count)) == [1, 2, 3])
    #expect(try simplest(.data(count: 2...3)) == Data([0, 0]))
    let range =
      Date(timeIntervalSinceReferenceDate: 1e6)...Date(timeIntervalSinceReferenceDate: 9e8)
    let dates = try values(.dates(in: range), count: 2_000)
    #expect(dates.allSatisfy { range.contains($0) } && Set(dates).count > 1_000)
    #expect(try simplest(.dates()) == Date(timeIntervalSinceReferenceDate: 0))
    #expect(try simplest(.dates(in: range)) == range.lowerBound)
  }

  @Test func `Sets and dictionaries have the requested number of elements`() throws {
    let sets = try values(Generator<Int>.ints(in: 0...9, spread: .uniform).set(count: 3...5))
    #expect(Set(sets.map(\.count)) == [3, 4, 5])
    let keys = Generator<Int>.ints(in: 0...9, spread: .uniform)
    let tables = try values(keys.dictionary(to: .bools(), count: 4...4))
    #expect(tables.allSatisfy { $0.count == 4 })
    #expect(throws: Rejection("too few different elements")) {
      try values(Generator<Bool>.bools().set(count: 3...3), count: 1)
    }
  }

  @Test func `A set shrinks to the fewest elements`() throws {
    let result = PropertyRunner(seed: 1).run { source in
      let set = try source.draw(Generator<Int>.ints().set())
      return set.count > 2 ? .failed(label: "big", message: "\(set.sorted())") : .passed
    }
    #expect(try #require(result.failure).shrunk.message == "[-1, 0, 1]")
  }

  @Test func `A filter records only the accepted value`() throws {
    let even = Generator<Int>.ints(in: 0...99, spread: .uniform).filter { $0 % 2 == 0 }
    #expect(try values(even).allSatisfy { $0 % 2 == 0 })
    var source = ChoiceSource(seed: 9)
    let drawn = try source.draw(even.array(count: 20))
    #expect(drawn.count == 20 && source.choiceCount == 20)
  }

  @Test func `A filter that accepts no value discards the case`() {
    #expect(throws: Rejection("never")) {
      try values(Generator<Int>.ints().filter("never") { _ in false }, count: 1)
    }
  }
}
