import PropertyTesting
import Testing

@Suite struct RepetitionTests {
  private func counts(
    _ range: ClosedRange<Int>,
    _ length: Repetition.Length,
    runs: Int = 2_000
  ) -> [Int] {
    (0..<runs).map { seed in
      var source = ChoiceSource(seed: UInt64(seed))
      return source.array("element", range, length: length) { $0.bool() }.count
    }
  }

  @Test func `Uniform lengths reach every number of the range alike`() {
    let counts = counts(3...7, .uniform)
    #expect(Set(counts) == Set(3...7))
    #expect((3...7).allSatisfy { length in (320...480).contains(counts.count { $0 == length }) })
  }

  @Test func `Lengths around an average stay in the range`() {
    let counts = counts(1...30, .average(6))
    #expect(counts.allSatisfy { (1...30).contains($0) })
    let mean = Double(counts.reduce(0, +)) / Double(counts.count)
    #expect((5...7).contains(mean))
  }

  @Test func `Most lengths are the maximum if requested, and the others any`() {
    let counts = counts(2...9, .mostlyLongest)
    #expect(Set(counts) == Set(2...9))
    #expect((1_400...1_700).contains(counts.count { $0 == 9 }))
  }

  @Test func `Each element is a span that includes its continuation choice`() {
    var source = ChoiceSource(seed: 4)
    let values = source.array("element", 2...9) { $0.int(in: 0...9) }
    let spans = source.sequence.spans
    #expect(spans.count == values.count && spans.allSatisfy { $0.kind == .element })
    #expect(spans.map(\.start) == (0..<values.count).map { $0 * 2 })
    #expect(source.sequence.count == values.count * 2 + 1)
    #expect(source.sequence.choices[0].isContinuation)
  }

  @Test func `A fixed number of elements draws no continuation choices`() {
    var source = ChoiceSource(seed: 4)
    _ = source.array("element", 3...3) { $0.int(in: 0...9) }
    #expect(source.sequence.count == 3)
    #expect(source.sequence.spans.map(\.kind) == Array(repeating: .countedElement, count: 3))
  }

  @Test func `A loop that exits early closes its span`() {
    var source = ChoiceSource(seed: 4)
    var steps = Repetition("step", 5...9)
    while steps.next(&source) {
      if steps.count == 2 { break }
      _ = source.bool()
    }
    steps.stop(&source)
    _ = source.bool(label: "after")
    #expect(source.sequence.spans.map(\.depth) == [0, 0, 0])
    #expect(source.sequence.spans.map(\.range) == [0..<2, 2..<3, 3..<4])
  }
}
