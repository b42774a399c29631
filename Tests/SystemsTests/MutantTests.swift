import Systems
import Testing

@Suite struct `Seeded bugs` {
  @Test func `There are at least forty that can show, each with a name of its own`() {
    #expect(Mutant.all.count { $0.equivalence == nil } >= 40)
    #expect(Set(Mutant.all.map(\.name)).count == Mutant.all.count)
  }

  @Test(arguments: [
    "fetch", "merge", "record", "purge", "join", "write", "tell", "clock", "signal",
  ])
  func `Every step has some`(_ step: String) {
    #expect(Mutant.all.count { $0.name.hasPrefix(step + "-") } >= 2)
  }

  @Test(arguments: Mutant.all.map(\.name))
  func `Each is told in a sentence, and how short a plan shows it or why none does`(
    _ name: String
  ) throws {
    let mutant = try #require(Mutant.all.first { $0.name == name })
    #expect(mutant.sentence.hasSuffix(".") && mutant.sentence.first?.isUppercase == true)
    #expect((mutant.least > 0) == (mutant.equivalence == nil))
    #expect(mutant.equivalence?.hasSuffix(".") ?? true)
  }

  @Test(arguments: [
    "record-before-merge", "signal-before-commit", "purge-outside-transaction",
    "record-last-match", "join-without-snapshot",
  ])
  func `Those that other processes are given are found by name`(_ name: String) throws {
    #expect(try #require(Mutant.named(name)).name == name)
    #expect(Mutant.named(Mutant.prefix + name)?.sentence == Mutant.named(name)?.sentence)
    #expect(Mutant.named(String(name.dropLast())) == nil)
  }
}
