import HistoryInspection
import HistoryStore
import LabFixtures
import Testing

@testable import BenchCommands
@testable import Commands
@testable import FileCommands
@testable import HistoryLab

@Suite struct `Options of other verbs` {
  @Test func `Replay accepts a file and its system`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/plan.jsonl")
      let options = try ReplayOptions(parse("replay \(folder)/plan.jsonl"), in: .sample)
      #expect(options.source == .file("\(folder)/plan.jsonl"))
      #expect(options.system == nil)
      #expect(options.until == nil)
      #expect(options.line(typing: .plain) == "history-lab replay \(folder)/plan.jsonl")
      let other = try ReplayOptions(
        parse("replay --system article --until 3 --json \(folder)/plan.jsonl"),
        in: .sample
      )
      #expect(other.system == "article")
      #expect(other.until == 3)
      #expect(other.json && !other.steps)
      let walk = try ReplayOptions(parse("replay --step \(folder)/plan.jsonl"), in: .sample)
      #expect(
        walk.steps && walk.line(typing: .plain) == "history-lab replay \(folder)/plan.jsonl --step"
      )
      #expect(
        other.line(typing: .plain)
          == "history-lab replay \(folder)/plan.jsonl --system article --until 3 --json"
      )
    }
  }

  @Test func `Replay accepts the seed of a check and a plan's number`() throws {
    let line = "replay --seed 1 --plan 17 --like notes --commands 8 --actors 3"
    let options = try ReplayOptions(parse(line), in: .sample)
    let plans = PlanOptions(commands: 8, actors: 3, like: .notes)
    #expect(options.source == .seed(1, plan: 17, plans))
  }

  @Test func `Replay accepts the names of systems`() {
    #expect(
      throws: LabError.usage(#"unknown system "none"."#, try: "list systems")
    ) { try ReplayOptions(parse("replay --seed 1 --plan 1 --system none"), in: .sample) }
  }

  @Test func `Bench run has its defaults`() throws {
    let options = try BenchRunOptions(parse("bench run"), in: .sample)
    #expect(!options.quick)
    #expect(options.only == [])
    #expect(options.axes == [] && options.rate == nil)
    #expect(options.seed == 42)
    #expect(options.output == "Reports/runs")
    #expect(options.rounds == nil)
    #expect(!options.json)
    #expect(options.selects("anything"))
  }

  @Test func `Bench run accepts every option`() throws {
    let line =
      "bench run --quick --only Fetch --also merge --axis base --axis cold --planned-rate 700 "
      + "--rounds 9 --seed 5 --output . --json"
    let options = try BenchRunOptions(parse(line), in: .sample)
    #expect(options.quick)
    #expect(options.only == ["Fetch"])
    #expect(options.also == ["merge"])
    #expect(options.axes == ["base", "cold"])
    #expect(options.rate == 700)
    #expect(options.rounds == 9)
    #expect(options.seed == 5)
    #expect(options.output == ".")
    #expect(options.json)
    #expect(options.selects("fetch all"))
    #expect(options.selects("Merge"))
    #expect(!options.selects("purge"))
  }

  @Test func `Report requires runs and a place to write`() async throws {
    try await withFolder { folder in
      let options = try ReportOptions(
        parse("report --output \(folder) --html \(folder)/page.html")
      )
      #expect(options.runs == folder)
      #expect(options.html == "\(folder)/page.html")
      #expect(throws: LabError.usage(#"--html: there is no folder "\#(folder)/new"."#)) {
        try ReportOptions(parse("report --output \(folder) --html \(folder)/new/page.html"))
      }
      #expect(throws: LabError.usage(#"--html: "\#(folder)" is a folder, not a file."#)) {
        try ReportOptions(parse("report --output \(folder) --html \(folder)"))
      }
      try makeFile("\(folder)/file")
      #expect(throws: LabError.usage(#"--output: "\#(folder)/file" is a file, not a folder."#)) {
        try ReportOptions(parse("report --output \(folder)/file"))
      }
    }
  }

  @Test func `Inspect has three formats`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store.sqlite"
      try makeFile(file)
      #expect(try InspectOptions(parse("inspect \(file)")).format == .text)
      #expect(try InspectOptions(parse("inspect \(file) --json")).format == .json)
      #expect(try InspectOptions(parse("inspect --csv \(file)")).format == .csv)
      #expect(try InspectOptions(parse("inspect \(file)")).file == file)
    }
  }

  @Test(arguments: [
    ("7", PurgeBound.number(7)), ("0", .number(0)), ("2001-01-01", .timestamp(0)),
    ("2001-01-02T00:00:01Z", .timestamp(86_401)), ("2000-12-31T23:59:59.5Z", .timestamp(-0.5)),
    ("2019-10-27T15:02:55.201Z", .timestamp(593_881_375.201)),
  ])
  func `A purge's bound is a number or a date`(text: String, bound: PurgeBound) {
    #expect(PurgeBound.reader.read(text) == bound)
  }

  @Test(arguments: [
    "", "-1", "1.5", "2001-1-1", "2001-01-32", "2001-01-01T", "2001-01-01T00:00:00",
    "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00.1.2Z", "2001-01-01T00:00:00.-5Z",
    "9223372036854775808", "now",
  ])
  func `Other text is refused as a purge bound`(text: String) {
    #expect(PurgeBound.reader.read(text) == nil)
  }

  @Test func `Inspect accepts one question`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store.sqlite"
      try makeFile(file)
      let questions: [(String, InspectOptions.Question)] = [
        ("", .census(purging: nil)), ("--values", .census(purging: nil)),
        ("--before 9", .census(purging: .number(9))),
        ("--older-than 7.5", .census(purging: .days(7.5))), ("--verify", .verification),
        ("--sql SELECT", .query("SELECT")),
      ]
      for (line, question) in questions {
        let options = try InspectOptions(parse("inspect \(file) \(line)"))
        #expect(options.question == question)
        #expect(options.showsValues == (line == "--values"))
      }
    }
  }

  @Test func `List accepts kinds separated by commas or blanks, in the catalogue's order`() throws {
    #expect(try ListVerb.Options(parse("list")).kinds == Catalogue.Kind.allCases)
    #expect(try ListVerb.Options(parse("list all")).kinds == Catalogue.Kind.allCases)
    #expect(try ListVerb.Options(parse("list faults,systems")).kinds == [.systems, .faults])
    #expect(try ListVerb.Options(parse("list faults systems faults")).kinds == [.systems, .faults])
    #expect(try ListVerb.Options(parse("list --json")).list.format == .json)
    #expect(try FormatOptions(parse("bench list --markdown")).format == .markdown)
  }

  @Test(arguments: [
    ("a/b", "a"), ("a/b/", "a"), ("/a", "/"), ("a", "."), ("/", "/"), (".", "."),
  ])
  func `A path has a parent`(path: String, parent: String) {
    #expect(FilePath.parent(of: path) == parent)
  }
}
