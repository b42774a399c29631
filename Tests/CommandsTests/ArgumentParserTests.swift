import LabFixtures
import Testing

@testable import Commands

@Suite struct `Argument parser` {
  /// One declaration of each kind.
  struct Sample: VerbOptions {
    enum Size: String, CaseIterable { case small, large }

    /// A group of options that belong to the verb.
    struct Group: VerbOptions {
      @Option("seed", .seed, "Seeds.") var seed: UInt64?
      @Flag("loud", "Is loud.") var loud

      var exclusive: [[String]] { [["loud", "quiet"]] }
    }

    @Argument(.path("FILE"), "A file.") var file: String
    @Option("count", .integer("N", 1...1_000), "Counts.") var count = 4_000
    @Option("name", each: .text("NAME", "a name"), "Names.") var names: [String]
    var group = Group()
    @Option("share", .decimal("X", 0.5...2), "Shares.") var share: Double?
    @Option("size", .choice("SIZE"), "Sizes.") var size = Size.large
    @Option("jobs", .integer("N", 1...9), shown: "all", "Works.", draw: { $0.processors })
    var jobs = 1
    @Flag("quiet", "Is quiet.") var quiet
  }

  /// One or more files, then words as lists.
  struct Lists: VerbOptions {
    @Argument(lists: .words("LIST", of: ["red", "green"]), "Chooses.") var words: [String]
  }

  static let verb = VerbSpec(name: "try", sentence: "Tries.", examples: []) {
    (_: Sample, _, _) in Nothing()
  }

  struct Nothing: Verb {
    func run() -> ExitCode { .good }
  }

  private func read(_ words: String...) throws -> Sample {
    var parser = ArgumentParser(Self.verb)
    return try Sample(parser.parse(words), in: .sample)
  }

  @Test func `The specification lists the options in the order of the properties`() {
    let names = ["count", "name", "seed", "loud", "share", "size", "jobs", "quiet"]
    #expect(Self.verb.options.map(\.name) == names)
    #expect(Self.verb.positionals.map(\.usage) == ["FILE"])
    let shown = Self.verb.options.map { $0.defaultText ?? "-" }
    #expect(shown == ["4,000", "-", "-", "-", "-", "large", "all", "-"])
    #expect(Self.verb.exclusive == [["loud", "quiet"]])
  }

  @Test func `A value follows its option or is attached to it`() throws {
    #expect(try read("f", "--count", "7").count == 7)
    #expect(try read("f", "--count=7").count == 7)
    #expect(try read("f", "--name=a=b").names == ["a=b"])
    #expect(try read("f", "--name=--quiet").names == ["--quiet"])
  }

  @Test func `A value may start with one dash`() throws {
    #expect(try read("f", "--name", "-3").names == ["-3"])
  }

  @Test func `An omitted option has its default`() throws {
    let sample = try read("f")
    #expect(sample.count == 4_000 && !sample.$count.isGiven)
    #expect(sample.group.seed == nil && sample.share == nil && sample.names.isEmpty)
    #expect(sample.size == .large)
    #expect(sample.jobs == Composition.sample.processors)
    #expect(sample.given.isEmpty)
  }

  @Test func `Given options are known by name`() throws {
    let sample = try read("f", "--quiet", "--seed", "1", "--count", "4")
    #expect(sample.given == ["--count", "--seed", "--quiet"])
    #expect(sample.$count.isGiven)
  }

  @Test func `Setting a property does not change copies of the options`() throws {
    let first = try read("f", "--count", "7")
    var second = first
    second.count = 8
    #expect(first.count == 7 && second.count == 8)
    #expect(try read("f").count == 4_000)
  }

  @Test func `A repeatable option keeps every distinct value in order`() throws {
    #expect(try read("--name", "b", "f", "--name", "a", "--name", "b").names == ["b", "a"])
  }

  @Test(arguments: [
    ("0", 0), ("42", 42), ("0x2a", 42), ("0X2A", 42), ("18446744073709551615", UInt64.max),
    ("0xffffffffffffffff", UInt64.max),
  ])
  func `A seed is decimal or hexadecimal`(text: String, value: UInt64) throws {
    #expect(try read("f", "--seed", text).group.seed == value)
  }

  @Test(arguments: ["", "x", "-1", "+1", "0x", "0x+1", "1.5", "18446744073709551616", " 1", "0xg"])
  func `An invalid seed is refused`(text: String) {
    #expect(throws: LabError.self) { try read("f", "--seed", text) }
  }

  @Test func `A decimal outside its range is refused`() throws {
    #expect(try read("f", "--share", "0.75").share == 0.75)
    for text in ["0.4", "2.1", "inf", "nan", "a"] {
      #expect(throws: LabError.self) { try read("f", "--share", text) }
    }
  }

  @Test func `A choice is a case of an enumeration`() throws {
    #expect(try read("f", "--size", "small").size == .small)
    let sentence = #"--size takes small or large, not "smal". Did you mean "small"?"#
    #expect(throws: LabError.usage(sentence)) { try read("f", "--size", "smal") }
  }

  @Test func `A list is words separated by commas`() throws {
    let verb = VerbSpec(name: "try", sentence: "Tries.", examples: []) {
      (_: Lists, _, _) in Nothing()
    }
    var parser = ArgumentParser(verb)
    #expect(try Lists(parser.parse(["red,green", "red"])).words == ["red", "green", "red"])
    #expect(throws: LabError.usage(#"LIST takes red or green, not "red,". Did you mean "red"?"#)) {
      try parser.parse(["red,"])
    }
  }

  @Test func `A flag is present or absent`() throws {
    #expect(try read("f", "--quiet").quiet)
    #expect(try !read("f").quiet)
    #expect(throws: LabError.usage("--loud and --quiet cannot be given together.")) {
      try read("f", "--quiet", "--loud")
    }
  }

  @Test func `Two dashes end the options, and one dash is an argument`() throws {
    #expect(try read("--", "--quiet").file == "--quiet")
    #expect(try read("-").file == "-")
    #expect(throws: LabError.usage(#"unexpected argument "--quiet": try takes one FILE."#)) {
      try read("f", "--", "--quiet")
    }
  }

  @Test func `Options and arguments come in any order`() throws {
    let sample = try read("--quiet", "f", "--count", "2")
    #expect(sample.file == "f")
    #expect(sample.count == 2)
  }
}
