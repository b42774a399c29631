import PropertyTesting
import PropertyTraits
import Testing

@Suite(.property(cases: 20, seed: 1)) struct IsolationTests {
  /// A value that only one actor may use.
  private final class Tally {
    var count = 0
  }

  @Test @MainActor func `A body runs on its test's actor and may use values that are not Sendable`()
    async throws
  {
    let tally = Tally()
    try await property(Generator<Int>.ints()) { _ in
      MainActor.assertIsolated()
      await Task.yield()
      tally.count += 1
    }
    #expect(tally.count == 20)
  }

  @Test func `A body may have five values`() async throws {
    let result = try await property(
      Generator<Int>.ints(in: 0...9),
      Generator<Bool>.bools(),
      Generator<String>.strings(),
      Generator<Character>.characters(in: "a"..."f"),
      Generator<Int>.ints().array()
    ) { digit, _, text, letter, numbers in
      #expect((0...9).contains(digit) && ("a"..."f").contains(letter))
      #expect(text.count >= 0 && numbers.count >= 0)
    }
    #expect(result.counts.passed == 20)
  }

  @Test @MainActor func `A body may have any number of values`() async throws {
    let (digits, tally) = (Generator<Int>.ints(in: 0...9), Tally())
    try await property(digits, digits, digits, digits, digits, digits, .strings()) {
      first,
      _,
      _,
      _,
      _,
      sixth,
      text in
      MainActor.assertIsolated()
      await Task.yield()
      tally.count += 1
      #expect(first + sixth <= 18 && text.count >= 0)
    }
    #expect(tally.count == 20)
  }

  @Test func `A failure shows all of many values in order`() async throws {
    let found = try await recordedIssues {
      let (digits, words) = (Generator<Int>.ints(in: 0...9), Generator<String>.strings())
      try await property(digits, digits, digits, digits, digits, words) {
        _,
        second,
        _,
        _,
        _,
        word in
        #expect(second < 3 || word.isEmpty)
      }
    }
    let text = found.last?.comments.map(\.rawValue).joined() ?? ""
    #expect(text.contains("0, 3, 0, 0, 0, \"a\"\n"), "\(text)")
  }

  @Test @MainActor func `A body that draws its values runs on its test's actor`() async throws {
    let tally = Tally()
    try await property { source in
      MainActor.assertIsolated()
      tally.count += source.int(in: 1...1)
    }
    #expect(tally.count == 20)
  }
}
