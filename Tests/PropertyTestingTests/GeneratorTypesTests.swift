import Foundation
import PropertyTesting
import Testing

@Suite struct `Generators of further types` {
  private enum Day: CaseIterable { case first, second, third }

  private struct Rights: OptionSet, Hashable {
    let rawValue: Int
    static let read = Rights(rawValue: 1)
    static let write = Rights(rawValue: 2)
  }

  /// Draws values, and the simplest one.
  private func draw<Value>(_ generator: Generator<Value>) throws -> (some: [Value], least: Value) {
    let some = try (1...300).map { seed in
      var source = ChoiceSource(seed: UInt64(seed))
      return try source.draw(generator)
    }
    var source = ChoiceSource(replaying: ChoiceSequence())
    return (some, try source.draw(generator))
  }

  @Test func `All cases occur, and the first is the simplest`() throws {
    let (some, least) = try draw(Generator<Day>.cases())
    #expect(Set(some) == Set(Day.allCases) && least == .first)
  }

  @Test func `All sets of options occur, and the empty one is the simplest`() throws {
    let (some, least) = try draw(Generator<Rights>.options([.read, .write]))
    #expect(Set(some).count == 4 && least == [])
  }

  @Test func `Durations stay in their range, negative ones too`() throws {
    let range = Duration.seconds(-3)...Duration.milliseconds(1_500)
    let (some, least) = try draw(Generator<Duration>.durations(in: range))
    #expect(some.allSatisfy(range.contains) && Set(some).count > 50 && least == .zero)
    #expect(some.contains { $0 < .zero } && some.contains { $0 > .seconds(1) })
    let (_, late) = try draw(Generator<Duration>.durations(in: .seconds(5) ... .seconds(9)))
    #expect(late == .seconds(5))
  }

  @Test func `Wide integers have both signs and more than 64 bits`() throws {
    let (some, least) = try draw(Generator<Int128>.wideInts())
    #expect(some.contains { $0 > Int128(UInt64.max) } && some.contains { $0 < Int128(Int64.min) })
    #expect(least == 0)
  }

  @Test func `Characters stay in their range, and none is a surrogate`() throws {
    let (some, least) = try draw(Generator<Character>.characters(in: "b"..."f"))
    #expect(Set(some) == Set("bcdef") && least == "b")
    let (wide, _) = try draw(Generator<Character>.characters(in: "\u{D7FE}"..."\u{E001}"))
    #expect(Set(wide) == ["\u{D7FE}", "\u{D7FF}", "\u{E000}", "\u{E001}"])
  }

  @Test func `UUIDs are of version 4`() throws {
    let (some, least) = try draw(Generator<UUID>.uuids())
    #expect(Set(some).count == 300)
    #expect(some.allSatisfy { $0.uuidString.dropFirst(14).first == "4" })
    #expect(least.uuidString == "00000000-0000-4000-8000-000000000000")
  }
}
