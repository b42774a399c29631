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
}
