import PropertyTesting
import Testing

/// Defines "simpler" by lists of values, each from the simplest on.
@Suite struct OrderingTests {
  /// The sequences of all cases of a property, in the order of their values.
  private func sequence<Value: Equatable>(
    _ value: Value,
    _ draw: (inout ChoiceSource) -> Value
  ) throws -> ChoiceSequence {
    for seed in UInt64(0)..<200_000 {
      var source = ChoiceSource(seed: seed)
      if draw(&source) == value { return source.sequence }
    }
    throw Rejection("no seed makes \(value)")
  }

  private func expectOrder<Value: Equatable>(
    _ values: [Value],
    _ draw: (inout ChoiceSource) -> Value
  ) throws {
    let sequences = try values.map { try sequence($0, draw) }
    #expect(sequences == sequences.sorted(), "\(values)")
    #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `Numbers nearer to zero are simpler, and positive ones simpler than negative ones`()
    throws
  {
    try expectOrder([0, 1, -1, 2, -2, 3, -3]) { $0.int(in: -3...3) }
    try expectOrder([5, 6, 7]) { $0.int(in: 5...7) }
    try expectOrder([-4, -5, -6]) { $0.int(in: -6 ... -4) }
  }

  @Test func `False is simpler than true, an earlier alternative than a later one`() throws {
    try expectOrder([false, true]) { $0.bool() }
    try expectOrder([0, 1, 2]) { $0.index(below: 3) }
  }

  @Test func `Fewer elements are simpler, then the first different element decides`() throws {
    try expectOrder([[], [0], [1], [0, 0], [0, 1], [1, 0], [0, 0, 0]]) { source in
      source.array("digit", 0...3) { $0.int(in: 0...1) }
    }
  }

  @Test func `Whole doubles are simpler than halves, halves than other fractions`() throws {
    func rank(_ value: Double) -> ChoiceSequence {
      // A double is a whole part and the digits of its fraction, the last one first.
      let digits: [Double: Int64] = [0: 0, 0.5: 1, 0.25: 2, 0.75: 3]
      let whole = Choice(Int64(value), in: 0...9)
      let fraction = Choice(digits[value - Double(Int64(value))] ?? 9, in: 0...(1 << 52 - 1))
      return ChoiceSequence(choices: [whole, fraction])
    }
    let inOrder = [0, 0.5, 0.25, 0.75, 1, 1.5, 2]
    #expect(inOrder.map(rank).sorted() == inOrder.map(rank))
    for value in inOrder {
      var source = ChoiceSource(replaying: rank(value))
      #expect(source.double(in: 0...9) == value)
    }
  }
}
