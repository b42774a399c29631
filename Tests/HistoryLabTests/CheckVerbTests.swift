import Foundation
import HistoryTypes
import LabFixtures
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

@Suite struct `The verb check` {
  private static var composition: Composition {
    var composition = Composition.current
    composition.processors = 2
    return composition
  }

  private func lab(_ words: String...) async -> (code: ExitCode, output: String, errors: String) {
    await run(words, composition: Self.composition)
  }

  /// The files of the only run in a folder.
  private func files(_ folder: String) throws -> [String: Data] {
    let runs = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0 != "latest" }
    let run = try #require(runs.count == 1 ? runs.first : nil)
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(run)") {
      files[name] = FileManager.default.contents(atPath: "\(folder)/\(run)/\(name)")
    }
    return files
  }

  private static let article = [
    "check", "--system", "article", "--plans", "12", "--seed", "1", "--output",
  ]

  /// A quick check that breaks one invariant.
  private static let mistaken = [
    "check", "--system", "greatest-cursor", "--plans", "10", "--seed", "1", "--output",
  ]

  @Test func `A system that holds exits 0 and reports it`() async throws {
    try await withFolder { folder in
      let result = await lab(
        "check",
        "--system",
        "tracker",
        "--plans",
        "200",
        "--seed",
        "1",
        "--output",
        folder
      )
      #expect(result.code == .good)
      // Everyday plans have no signals and no retention limit, and the sentence says so.
      let flat = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(flat.contains("Every invariant that 200 plans exercised held; none exercised"))
      #expect(flat.contains("LoudExpiry") && flat.contains("WakeUp"))
      #expect(result.output.contains("seed 0x1"))
      let names = try files(folder).keys.sorted()
      #expect(names == ["check.json", "index.html", "run.json"])
    }
  }

  @Test func `The same seed gives the same files, byte for byte, whatever the jobs`() async throws {
    try await withFolder { folder in
      var found: [[String: Data]] = []
      for jobs in ["1", "2"] {
        let output = "\(folder)/\(jobs)"
        let code = await run(
          Self.article + [output, "--jobs", jobs],
          composition: Self.composition
        ).code
        #expect(code == .violation)
        found.append(try files(output).filter { $0.key.hasSuffix(".jsonl") })
      }
      #expect(found[0].count >= 9)
      #expect(found[0] == found[1])
    }
  }

  @Test func `A counterexample replays to the same verdict and the same trace`() async throws {
    try await withFolder { folder in
      _ = await run(Self.article + ["\(folder)/run"], composition: Self.composition)
      for (name, data) in try files("\(folder)/run")
      where name.hasPrefix("counterexample-") && name.hasSuffix(".jsonl") {
        let path = "\(folder)/\(name)"
        try data.write(to: URL(fileURLWithPath: path))
        let kept = try CounterexampleCodec.decode(String(decoding: data, as: UTF8.self))
        let result = await lab("replay", path)
        #expect(result.code == .violation)
        let violation = kept.violation
        #expect(result.output.contains("\(violation.checker): broken. \(violation.because)"))
        let trace = try TraceCodec.decode(await lab("replay", path, "--json").output)
        #expect(trace.events == kept.trace.events)
        let disk = await lab("replay", path, "--on-disk", "\(folder)/disk")
        #expect(disk.code == .violation && disk.output.contains(violation.because))
        #expect(await lab("replay", path, "--system", "tracker").code != .violation)
      }
    }
  }

  @Test func `Power-offs are counted, and each command must meet each kind`() async throws {
    try await withFolder { folder in
      let words = [
        "check", "--conditions", "power-off", "--plans", "12", "--seed", "1", "--output",
      ]
      let text = await run(words + ["\(folder)/text"], composition: Self.composition)
      let json = await run(words + ["\(folder)/json", "--json"], composition: Self.composition)
      let system = try #require(try document(json.output).systems.first)
      let (count, faults) = (try #require(system.powerOffs), try #require(system.faults))
      #expect(count > 5 && faults.reduce(0) { $0 + $1.fired } == count)
      let full = try #require(system.powerOffsAtFull)
      #expect(full > 0 && full < count)
      let sentence = "  The power failed \(count) times, \(full) of them with synchronous=FULL.\n"
      #expect(text.output.contains(sentence))
      #expect(system.invalidPlans == 0)
      // With so few plans, power-offs do not occur in every command.
      #expect(text.code == .undecided && json.code == .undecided)
    }
  }

  @Test func `A command without a kind of power-off is reported`() throws {
    let fault = PlannedFault(kind: .torn, file: .wal, call: .write, k: 1)
    let plan = Plan(
      header: PlanHeader(model: Model(unchecked: []), actors: []),
      commands: [Command(.fetch("app"), faults: [fault]), Command(.data)]
    )
    var counts = FaultCounts()
    let kinds: [EventKind] = [
      .called(command: 0, word: "fetch"), .fault(fault), .called(command: 1, word: "data"),
    ]
    for kind in kinds {
      counts.observe(Event(at: 0, tick: 0, actor: nil, kind), of: plan)
    }
    #expect(counts.powerOffCount == 1 && counts.fullPowerOffCount == 0)
    #expect(counts.missingPowerOffs == ["powerOff in data", "torn in data", "powerOff in fetch"])
  }

  @Test func `Commands in a report show the same result again`() async throws {
    try await withFolder { folder in
      let words = Self.mistaken + [folder, "--json"]
      let report = try document(await run(words, composition: Self.composition).output)
      let found = try #require(report.systems.first?.counterexamples.first)
      for command in [found.replay, found.replayOfPlan] {
        let words = command.split(separator: " ").dropFirst().map(String.init)
        let result = await run(words, composition: Self.composition)
        #expect(result.code == .violation)
        #expect(result.output.contains("\(found.checker): broken."))
      }
    }
  }

  @Test func `The JSON document has the facts of the text`() async throws {
    try await withFolder { folder in
      let text = await run(Self.article + ["\(folder)/text"], composition: Self.composition).output
      let words = Self.article + ["\(folder)/json", "--json"]
      let result = await run(words, composition: Self.composition)
      #expect(result.code == .violation)
      let report = try document(result.output)
      #expect(report.seed == "0x1" && report.verdict == "invalid")
      let system = try #require(report.systems.first)
      #expect(system.system == "article" && system.plans == 12)
      let flat = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(flat.contains("article: 12 plans, \(system.steps.grouped) steps"))
      #expect(flat.contains("broke, in \(system.invalidPlans) of 12 plans."))
      for count in system.invariants {
        let state = count.invalid > 0 ? "broken" : count.valid > 0 ? "held" : "undecided"
        let row = "\(count.invariant) \(state) \(count.valid) \(count.invalid) \(count.unknown)"
        #expect(flat.contains(row))
      }
      #expect(!system.counterexamples.isEmpty)
      for found in system.counterexamples {
        #expect(flat.contains(found.because))
        #expect(found.plan.count == found.commands + 1)
        #expect(FileManager.default.fileExists(atPath: found.file))
      }
      #expect(try document(files("\(folder)/json")["check.json"]).verdict == "invalid")
    }
  }

  @Test func `A seed and a number run one plan, and --until stops it early`() async throws {
    let plan = ["replay", "--system", "tracker", "--seed", "1", "--plan", "3"]
    let whole = await run(plan + ["--json"], composition: Self.composition)
    #expect(whole.code == .good)
    let trace = try TraceCodec.decode(whole.output)
    #expect(trace.header.plan.commands.count > 2)
    let part = await run(plan + ["--until", "2", "--json"], composition: Self.composition)
    let short = try TraceCodec.decode(part.output).header.plan
    #expect(short.commands == Array(trace.header.plan.commands.prefix(2)))
  }

  @Test func `A file that is no plan is refused with a message`() async throws {
    try await withFolder { folder in
      _ = await run(Self.mistaken + ["\(folder)/run"], composition: Self.composition)
      let data = try #require(
        try files("\(folder)/run").first {
          $0.key.hasPrefix("counterexample-") && $0.key.hasSuffix(".jsonl")
        }?.value
      )
      let text = String(decoding: data, as: UTF8.self)
      let broken: [String: Data] = [
        "empty": Data(), "cut": Data(text.prefix(text.count * 2 / 3).utf8),
        "garbage": Data("hello\nworld\n".utf8), "binary": Data([0xff, 0xfe, 0x00, 0x80]),
        "list": Data("[1,2]\n".utf8),
        "system": Data(
          text.replacing(
            #""system":"greatest-cursor""#,
            with: #""system":"none""#
          ).utf8
        ),
        "key": Data(text.replacing(#""plan":1"#, with: #""plan":1,"extra":2"#).utf8),
      ]
      for (name, data) in broken {
        let path = "\(folder)/\(name)"
        try data.write(to: URL(fileURLWithPath: path))
        let result = await lab("replay", path)
        #expect(result.code == .usage, "\(name)")
        #expect(result.output.isEmpty && result.errors.hasPrefix("history-lab: "), "\(name)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(name): \(result.errors)")
        #expect(result.errors.contains("UTF-8") == (name == "binary"))
        #expect(FileManager.default.contents(atPath: path) == data)
      }
      #expect(await lab("replay", "\(folder)/absent").code == .usage)
      #expect(await lab("replay", folder).code == .usage)
    }
  }

  @Test func `A custom configuration is checked, and its plans replay`() async throws {
    try await withFolder { folder in
      let config = "\(folder)/mine.json"
      let text = """
        {
          "config": 1,
          "actors": [
            {"id": "phone", "author": "me", "hooks": ["observer"], "contexts": 2},
            {"id": "tablet", "author": "me", "strategy": "byNotification/2"}
          ],
          "consumers": ["search"],
          "retention": {"transactions": 6}
        }
        """
      try makeFile(config, text)
      let words = ["check", "--config", config, "--conditions", "crash,retention", "--seed", "1"]
      let output = ["--steps", "2000", "--output", "\(folder)/run"]
      let result = await run(words + output, composition: Self.composition)
      #expect(result.code == .good)
      let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("  crash ") }
      #expect(lines.count == 1)
      let replay = ["replay", "--config", config, "--conditions", "crash,retention", "--seed", "1"]
      let reported = await run(replay + ["--plan", "2", "--json"], composition: Self.composition)
        .output
      let header = try TraceCodec.decode(reported).header.plan.header
      #expect(header.actors.map(\.id) == ["phone", "tablet"] && header.consumers == ["search"])
    }
  }

  @Test(arguments: [
    (
      #""hooks": ["observr"]"#,
      #"there is no hook "observr". Did you mean "observer"? The hooks are "#
        + "observer, throws-retry, throws-skip, observer-throws-retry, throws-retry-alternating, "
        + "throws-skip-alternating, observer-throws-retry-alternating and finishes."
    ),
    (
      #""strategy": "byDuration""#,
      #"there is no strategy "byDuration". Use one of these, with any numbers: none, "#
        + "whenMerged, byNotification/2, byDuration/60 and whenLargerThan/0.5."
    ),
    (
      #""hoks": []"#,
      #"line 1: actor 1 of the configuration has the unknown key "hoks". Did you mean "hooks"?"#
    ),
  ])
  func `A configuration with unknown values is refused`(
    _ key: String,
    _ reported: String
  ) async throws {
    try await withFolder { folder in
      let config = "\(folder)/mine.json"
      try makeFile(config, #"{"config":1,"actors":[{"id":"app",\#(key)}]}"#)
      let result = await lab("check", "--config", config, "--output", folder)
      #expect(result.code == .usage)
      #expect(result.errors.hasPrefix("history-lab: --config: \(config): \(reported)"))
    }
  }

  @Test func `A system that lacks a requested capability is refused by name`() async throws {
    let result = await lab("check", "--system", "article", "--conditions", "hook-failure")
    #expect(result.code == .usage)
    #expect(
      result.errors.hasPrefix(
        "history-lab: --conditions: article does not support hook-failure: it does not have the "
          + #"capability "hooks". Leave out the condition or the system."#
      )
    )
  }

  @Test func `A configuration without a clean strategy has the default of the kit's version`()
    async throws
  {
    try await withFolder { folder in
      let config = "\(folder)/mine.json"
      try makeFile(
        config,
        #"{"config":2,"actors":[{"currentAuthor":"app"},{"currentAuthor":"widget"}]}"#
      )
      let words = [
        "check", "--config", config, "--conditions", "steady", "--seed", "1", "--plans", "12",
        "--output", "\(folder)/run",
      ]
      // Version 2 cleans only with a strategy, version 1 after every pass.
      let newer = await run(words + ["--system", "kit-2"], composition: Self.composition)
      #expect(newer.output.contains("The system never purged in 12 plans"))
      let older = await run(words + ["--system", "kit-1.3"], composition: Self.composition)
      #expect([.good, .violation, .undecided].contains(older.code))
      #expect(older.output.contains("PurgeSafety") && !older.output.contains("never purged"))
      try makeFile(config, #"{"config":2,"actors":[{"currentAuthor":"app","maximumDuration":9}]}"#)
      let ours = await lab("check", "--config", config, "--system", "tracker")
      #expect(ours.code == .usage)
      #expect(
        ours.errors.hasPrefix(
          "history-lab: --config: \(config): tracker does not support \"maximumDuration\". Limit the "
            + "age of history with \"retention\", or check another system."
        )
      )
    }
  }

  @Test func `A system that never purged is reported as a result`() async throws {
    try await withFolder { folder in
      let words = ["check", "--conditions", "steady", "--seed", "1", "--plans", "12"]
      // As the kit's README sets it up, nothing purges.
      let never = words + ["--system", "kit-2-readme", "--output", "\(folder)/never"]
      let result = await run(never, composition: Self.composition)
      let sentence = "The system never purged in 12 plans, so that history only grew."
      #expect(result.output.contains(sentence))
      let bytes = try #require(files("\(folder)/never")["check.json"])
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains(sentence) && text.contains(#""plansWithPurge" : 0"#))
      let html = "\(folder)/page.html"
      let page = await run(["report", "--output", "\(folder)/never", "--html", html])
      #expect(page.code == .good)
      let data = FileManager.default.contents(atPath: html) ?? Data()
      #expect(String(decoding: data, as: UTF8.self).contains(sentence))
      let purging = await run(
        words + ["--output", "\(folder)/purging"],
        composition: Self.composition
      )
      #expect(purging.code == .good || purging.code == .undecided)
      #expect(!purging.output.contains("never purged"))
    }
  }

  @Test func `A run with too little coverage is undecided`() async throws {
    try await withFolder { folder in
      let result = await lab(
        "check",
        "--plans",
        "1",
        "--commands",
        "1",
        "--actors",
        "1",
        "--seed",
        "2",
        "--output",
        folder
      )
      #expect(result.code == .undecided)
      let report = try document(files(folder)["check.json"])
      #expect(report.verdict == "unknown")
    }
  }

  // MARK: The document, as parsed by another program

  private struct Document: Decodable {
    struct Invariant: Decodable {
      let invariant: String
      let valid: Int
      let invalid: Int
      let unknown: Int
    }
    struct Found: Decodable {
      let checker: String
      let because: String
      let commands: Int
      let file: String
      let replay: String
      let replayOfPlan: String
      let plan: [String]
    }
    struct Fired: Decodable { let fired: Int }
    struct System: Decodable {
      var powerOffs: Int?
      var powerOffsAtFull: Int?
      var faults: [Fired]?
      let system: String
      let plans: Int
      let invalidPlans: Int
      let steps: Int
      let invariants: [Invariant]
      let counterexamples: [Found]
    }
    let seed: String
    let verdict: String
    let systems: [System]
  }

  private func document(_ text: String) throws -> Document { try document(Data(text.utf8)) }

  private func document(_ data: Data?) throws -> Document {
    try JSONDecoder().decode(Document.self, from: #require(data))
  }

  @Test func `Two systems of a run never write files of the same name`() {
    let names = ["tracker", "external:a --b", "mutant/a", "external:c", "external:a --b"]
    #expect(
      RunOutput.words(forSystems: names) == [
        "tracker", "external", "mutant-a", "external-2", "external-3",
      ]
    )
  }
}
