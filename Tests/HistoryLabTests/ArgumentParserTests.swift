import Testing

@testable import HistoryLab

@Suite struct `Argument parser` {
  /// One option of each kind.
  static let count = Option("count", "N", in: 1...10, default: 4, "Counts.")
  static let name = Option("name", .text("NAME", "a name"), repeats: true, "Names.")
  static let seed = Option("seed", .seed, "Seeds.")
  static let share = Option("share", .decimal("X", 0.5...2), "Shares.")
  static let kinds = Option("kinds", .words("LIST", of: ["red", "green"]), "Chooses.")
  static let quiet = Flag("quiet", "Is quiet.")
  static let verb = VerbSpec(
    name: "try",
    sentence: "Tries.",
    positionals: [
      PositionalSpec(value: ValueReader.path("FILE").rule, isRequired: true, sentence: "A file.")
    ],
    options: [count.spec, name.spec, seed.spec, share.spec, kinds.spec, quiet.spec]
  )

  private func read(_ words: String...) throws -> ParsedArguments {
    var parser = ArgumentParser(Self.verb)
    return try parser.parse(words)
  }

  @Test func `A value follows its option or is attached to it`() throws {
    #expect(try read("f", "--count", "7").value(Self.count) == 7)
    #expect(try read("f", "--count=7").value(Self.count) == 7)
    #expect(try read("f", "--name=a=b").all(Self.name) == ["a=b"])
    #expect(try read("f", "--name=--quiet").all(Self.name) == ["--quiet"])
  }

  @Test func `A value may begin with one dash`() throws {
    #expect(try read("f", "--name", "-3").all(Self.name) == ["-3"])
  }

  @Test func `An option that is not given has its default`() throws {
    #expect(try read("f").value(Self.count) == 4)
    #expect(try read("f").value(Self.seed) == nil)
    #expect(throws: LabError.usage("--share is needed: a number from 0.5 to 2.")) {
      try read("f").required(Self.share)
    }
  }

  @Test func `A repeatable option keeps every value in order`() throws {
    #expect(try read("--name", "b", "f", "--name", "a").all(Self.name) == ["b", "a"])
  }

  @Test(arguments: [
    ("0", 0), ("42", 42), ("0x2a", 42), ("0X2A", 42), ("18446744073709551615", UInt64.max),
    ("0xffffffffffffffff", UInt64.max),
  ])
  func `A seed is decimal or hexadecimal`(text: String, value: UInt64) throws {
    #expect(try read("f", "--seed", text).value(Self.seed) == value)
  }

  @Test(arguments: ["", "x", "-1", "+1", "0x", "0x+1", "1.5", "18446744073709551616", " 1", "0xg"])
  func `What is not a seed is refused`(text: String) {
    #expect(throws: LabError.self) { try read("f", "--seed", text) }
  }

  @Test func `A decimal stays in its range`() throws {
    #expect(try read("f", "--share", "0.75").value(Self.share) == 0.75)
    for text in ["0.4", "2.1", "inf", "nan", "a"] {
      #expect(throws: LabError.self) { try read("f", "--share", text) }
    }
  }

  @Test func `A list is words with commas`() throws {
    #expect(try read("f", "--kinds", "red,green").value(Self.kinds) == ["red", "green"])
    #expect(throws: LabError.usage(#"--kinds takes red or green, not "red,". Did you mean "red"?"#))
    {
      try read("f", "--kinds", "red,")
    }
  }

  @Test func `A flag is there or not`() throws {
    #expect(try read("f", "--quiet").isSet(Self.quiet))
    #expect(try !read("f").isSet(Self.quiet))
  }

  @Test func `Two dashes end the options, one dash is an argument`() throws {
    #expect(try read("--", "--quiet").positionals == ["--quiet"])
    #expect(try read("-").positionals == ["-"])
    #expect(throws: LabError.usage(#"unexpected argument "--quiet": try takes one FILE."#)) {
      try read("f", "--", "--quiet")
    }
  }

  @Test func `Options and arguments come in any order`() throws {
    let arguments = try read("--quiet", "f", "--count", "2")
    #expect(arguments.positionals == ["f"])
    #expect(arguments.value(Self.count) == 2)
  }
}
