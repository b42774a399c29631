import Testing

@testable import PropertyTesting

@Suite struct ChoiceSourceTests {
  /// Draws one value of every kind.
  private func drawAll(_ source: inout ChoiceSource) -> String {
    var parts = ["\(source.int(in: -5...5))", "\(source.integer(in: .min ... .max))"]
    parts.append("\(source.bool(probability: 0.3)) \(source.index(below: 7, label: "index"))")
    parts.append("\(source.double(in: -2.5...1e6)) \(source.double(in: -1e300...1e300))")
    parts.append("\(source.weighted([1, 0, 3]))")
    parts.append("\(source.array("byte", 2...9) { $0.int(in: 0...255) })")
    parts.append("\(source.array("bit", 3...3) { $0.bool() })")
    return parts.joined(separator: " ")
  }

  @Test func `A recorded sequence replays to the same values and the same sequence`() throws {
    for seed in UInt64(0)..<200 {
      var source = ChoiceSource(seed: seed)
      let values = drawAll(&source)
      let text = try #require(ChoiceSequence(source.sequence.description))
      for recorded in [source.sequence, text] {
        var replay = ChoiceSource(replaying: recorded)
        #expect(drawAll(&replay) == values)
        #expect(replay.sequence == source.sequence)
        #expect(replay.sequence.spans == source.sequence.spans)
        #expect(replay.sequence.choices == source.sequence.choices)
      }
    }
  }

  @Test func `Values are in their ranges and reach both ends`() {
    var source = ChoiceSource(seed: 1, choiceCountMax: .max)
    for spread in [Spread.uniform, .nearSimplest] {
      let values = (0..<2_000).map { _ in source.integer(in: -3...6, simplest: 2, spread: spread) }
      #expect(Set(values) == Set(-3...6))
    }
    let wide = (0..<2_000).map { _ in source.integer(in: .min ... .max, spread: .nearSimplest) }
    #expect(Set([0, 1, -1, .min, .max]).isSubset(of: wide))
    let doubles = (0..<2_000).map { _ in source.double(in: -0.5...2.25) }
    #expect(doubles.allSatisfy { (-0.5...2.25).contains($0) } && Set(doubles).count > 1_000)
    #expect(doubles.contains { $0 < 0 } && doubles.contains { $0 > 2 })
    let huge = (0..<2_000).map { _ in source.double(in: -1e300...1e300) }
    #expect(huge.allSatisfy { abs($0) <= 1e300 } && huge.contains { abs($0) > 1e200 })
  }

  @Test func `Probabilities and weights are respected`() {
    var source = ChoiceSource(seed: 2, choiceCountMax: .max)
    let trues = (0..<10_000).count { _ in source.bool(probability: 0.2) }
    #expect((1_800...2_200).contains(trues))
    var counts = [0, 0, 0]
    for _ in 0..<10_000 { counts[source.weighted([1, 0, 3])] += 1 }
    #expect((2_300...2_700).contains(counts[0]) && counts[1] == 0)
    #expect((0..<100).allSatisfy { _ in source.bool(probability: 1) })
    #expect((0..<100).allSatisfy { _ in !source.bool(probability: 0) })
  }

  @Test func `A replay without further choices draws the simplest values and reports it`() {
    var source = ChoiceSource(replaying: ChoiceSequence("1:3") ?? ChoiceSequence())
    #expect(source.isExhausted == false)
    #expect(source.int(in: 0...9) == 3)
    #expect(source.isExhausted == true)
    #expect(source.int(in: -5...5) == 0)
    #expect(source.int(in: 4...9) == 4)
    #expect(source.bool() == false)
    #expect(source.double(in: 1.5...9) == 1.5)
    #expect(source.array("none", 0...4) { $0.bool() }.isEmpty)
    #expect(source.array("two", 2...4) { $0.bool() } == [false, false])
  }

  @Test func `A replayed weight that has become zero uses the nearest earlier one`() {
    func adjusted(_ index: Int, _ weights: [Int]) -> Int {
      var source = ChoiceSource(replaying: ChoiceSequence("1:\(index)") ?? ChoiceSequence())
      let result = source.weighted(weights)
      #expect(source.sequence.choices[0].value == Int64(result))
      return result
    }
    #expect(adjusted(2, [1, 1, 1]) == 2)
    #expect(adjusted(2, [1, 1, 0]) == 1)
    #expect(adjusted(1, [0, 0, 5]) == 2)
    #expect(adjusted(9, [1, 1, 1]) == 2)
  }

  @Test func `A source that reaches its limit draws the simplest values`() {
    var source = ChoiceSource(seed: 1, choiceCountMax: 10)
    let values = (0..<20).map { _ in source.int(in: 1...1_000_000) }
    #expect(values.dropFirst(10).allSatisfy { $0 == 1 } && values[9] > 1)
    #expect(source.isExhausted == true)
  }

  @Test func `A restarted source draws the same values as a new one`() {
    var used = ChoiceSource(seed: 0)
    for seed in UInt64(0)..<100 {
      used.restart(seed: seed)
      var new = ChoiceSource(seed: seed)
      func draw(_ source: inout ChoiceSource) -> [Int] {
        // Numbers may repeat in every second case only.
        if seed.isMultiple(of: 2) { source.reuseNumbers() }
        return (0..<6).map { _ in source.int(in: 0...999_999, label: "size") }
      }
      #expect(draw(&used) == draw(&new))
      #expect(used.sequence == new.sequence)
    }
  }

  @Test func `A replay follows the spans when the length of one has changed`() {
    func draw(_ source: inout ChoiceSource, wide: Bool) -> [Int] {
      let first = source.span("first") { source in
        (0..<(wide ? 3 : 1)).map { _ in source.int(in: 0...9) }
      }
      return first + [source.int(in: 0...9, label: "second")]
    }
    let recorded = ChoiceSequence(
      choices: [7, 7, 5].map { Choice($0, in: 0...9) },
      spans: [
        ChoiceSpan(label: "first", range: 0..<2, depth: 0),
        ChoiceSpan(label: "second", range: 2..<3, depth: 0),
      ]
    )
    var (narrow, wide) = (ChoiceSource(replaying: recorded), ChoiceSource(replaying: recorded))
    #expect(draw(&narrow, wide: false) == [7, 5])
    #expect(draw(&wide, wide: true) == [7, 7, 0, 5])
  }

  @Test func `An adjusted index is recorded as the choice`() {
    let recorded = ChoiceSequence(choices: [Choice(0, in: 0...4)], spans: [])
    var first = ChoiceSource(replaying: recorded)
    #expect(first.index(below: 5) { max($0, 3) } == 3)
    // Now every index is possible, and the choice keeps its meaning.
    var second = ChoiceSource(replaying: first.sequence)
    #expect(second.index(below: 5) { $0 } == 3)
  }

  @Test func `Swarm weights are equal in half of the runs and omit some kinds in the others`() {
    let weights = (0..<400).map { seed in
      var source = ChoiceSource(seed: UInt64(seed))
      return source.swarmWeights(4)
    }
    #expect(weights.allSatisfy { $0.contains { $0 > 0 } && $0.count == 4 })
    #expect((150...250).contains(weights.count { $0 == [1, 1, 1, 1] }))
    #expect(weights.count { $0.contains(0) } > 100)
    #expect(weights.contains { $0.contains { $0 > 8 } })
    var replay = ChoiceSource(replaying: ChoiceSequence())
    #expect(replay.swarmWeights(3) == [1, 1, 1] && replay.rate(in: 0.25...1) == 0.25)
    #expect(replay.choiceCount == 0)
  }
}
