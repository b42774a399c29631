package import PropertyTesting

/// One property of the shrinking challenge (github.com/jlink/shrinking-challenge), with its known
/// result.
///
/// A failing case's message is the value, so that results can be compared as text.
package struct Challenge: Sendable, CustomStringConvertible {
  package let name: String
  /// The simplest failing value.
  package let answer: String
  package let property: @Sendable (inout ChoiceSource) throws -> CaseResult

  /// The goal: the greatest mean number of evaluations over a hundred seeds.
  package let evaluationsMax: Double
  /// The goal: the least share of seeds that come to the answer.
  package let shareMin: Double

  package var description: String { name }

  init<Value>(
    _ name: String,
    _ answer: String,
    within evaluationsMax: Double,
    share shareMin: Double = 1,
    _ generator: Generator<Value>,
    holds: @escaping @Sendable (Value) -> Bool?
  ) {
    self.name = name
    self.answer = answer
    self.evaluationsMax = evaluationsMax
    self.shareMin = shareMin
    property = { source in
      let value = try source.draw(generator)
      guard let holds = holds(value) else { return .discarded }
      return holds ? .passed : .failed(label: name, message: "\(value)")
    }
  }
}

extension Challenge {
  private static let ints = Generator<Int>.ints()
  private static let positive = Generator<Int>.ints(in: 1...(1 << 31 - 1))
  private static let pairs = Generator<[Int]> { source in
    [try positive.draw(&source), try positive.draw(&source)]
  }

  package static let all: [Challenge] = [
    bound5, largeUnionList, reverse, calculator, lengthlist, differenceNotZero, differenceSmall,
    differenceOne, binheap, coupling, deletion, distinct, nestedlists,
  ]

  package static let bound5: Challenge = {
    let lists = Generator<Int>.ints(in: -(1 << 15)...(1 << 15 - 1)).array(count: 0...10)
      .filter { wrapped($0) < 256 }
    let five = Generator<[[Int]]> { source in
      try (0..<5).map { _ in try source.draw(lists) }
    }
    return Challenge("bound5", "[[], [], [], [-1], [-32768]]", within: 200, five) {
      wrapped($0.flatMap { $0 }) < 5 * 256
    }
  }()

  /// Adds up in 16 bits.
  private static func wrapped(_ numbers: [Int]) -> Int {
    Int(Int16(truncatingIfNeeded: numbers.reduce(0, +)))
  }

  package static let largeUnionList = Challenge(
    "large_union_list",
    "[[0, 1, -1, 2, -2]]",
    within: 200,
    ints.array().array()
  ) { Set($0.joined()).count < 5 }

  package static let reverse = Challenge("reverse", "[0, 1]", within: 18, ints.array()) {
    $0 == $0.reversed()
  }

  package static let lengthlist = Challenge(
    "lengthlist",
    "[900]",
    within: 80,
    Generator<Int>.ints(in: 1...100, spread: .uniform).flatMap {
      Generator<Int>.ints(in: 0...1_000, spread: .uniform).array(count: $0)
    }
  ) { $0.allSatisfy { $0 < 900 } }

  package static let differenceNotZero = Challenge(
    "difference: not zero",
    "[10, 10]",
    within: 38,
    pairs
  ) {
    $0[0] < 10 || $0[0] != $0[1]
  }

  package static let differenceSmall = Challenge("difference: small", "[10, 6]", within: 250, pairs)
  {
    $0[0] < 10 || !(1...4).contains(abs($0[0] - $0[1]))
  }

  package static let differenceOne = Challenge("difference: one", "[10, 9]", within: 250, pairs) {
    $0[0] < 10 || abs($0[0] - $0[1]) != 1
  }

  package static let coupling = Challenge(
    "coupling",
    "[1, 0]",
    within: 100,
    Generator<Int>.ints(in: 0...10, spread: .uniform).array()
  ) { list in
    guard list.allSatisfy({ $0 < list.count }) else { return nil }
    return list.indices.allSatisfy { list[$0] == $0 || list[list[$0]] != $0 }
  }

  package static let deletion = Challenge(
    "deletion",
    "[[0, 0], [0]]",
    within: 34,
    Generator<[[Int]]> { source in
      [try ints.array().draw(&source), [source.int(in: 0...10)]]
    }
  ) { pair in
    guard pair[1][0] < pair[0].count else { return nil }
    var copy = pair[0]
    let removed = copy[pair[1][0]]
    copy.remove(at: copy.firstIndex(of: removed) ?? 0)
    return !copy.contains(removed)
  }

  package static let distinct = Challenge("distinct", "[0, 1, -1]", within: 50, ints.array()) {
    Set($0).count < 3
  }

  package static let nestedlists = Challenge(
    "nestedlists",
    "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]",
    within: 50,
    Generator<Int>.always(0).array().array()
  ) { $0.map(\.count).reduce(0, +) <= 10 }
}
