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

  /// A counter that forgets every third number.
  private actor Forgetful {
    private(set) var numbers: [Int] = []
    private var count = 0

    func add(_ number: Int) async {
      await Task.yield()
      count += 1
      if !count.isMultiple(of: 3) { numbers.append(number) }
    }
  }

  private struct ForgetfulMachine: AsyncCommandMachine {
    struct Lost: Error {}
    static let rules = [
      CommandRule<ForgetfulMachine>("add") { _, source in source.int(in: 0...9) }
    ]
    let real = Forgetful()
    var model: [Int] = []
    let isCheckedAtEnd: Bool

    mutating func perform(_ command: Int) async throws {
      await real.add(command)
      model.append(command)
      if !isCheckedAtEnd, await real.numbers != model { throw Lost() }
    }

    mutating func finish() async throws {
      if await real.numbers != model { throw Lost() }
    }
  }

  @Test(arguments: [(false, "then"), (true, "at the end")])
  func `A machine of an actor is awaited, and shrinks to its least steps`(
    _ isCheckedAtEnd: Bool,
    _ place: String
  ) async throws {
    let found = try await recordedIssues {
      try await property { source in
        var machine = ForgetfulMachine(isCheckedAtEnd: isCheckedAtEnd)
        try await source.perform(on: &machine)
      }
    }
    let text = found.last?.comments.map(\.rawValue).joined() ?? ""
    #expect(text.contains("1. 0\n2. 0\n3. 0\n\(place): Lost()"), "\(text)")
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
