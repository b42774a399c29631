import Foundation
import HistoryStore
import LabFixtures
import Systems
import Testing

@testable import Commands
@testable import HistoryLab

/// The verb `mutants`, with few mutants and few plans.
@Suite struct `Seeded bugs on the command line` {
  /// Runs the verb on some mutants, with ten plans a seed.
  private func mutants(
    _ some: [Mutant],
    _ words: String...,
    in folder: String
  ) async -> (code: ExitCode, output: String, errors: String) {
    var composition = Composition.sample
    composition.take(some)
    return await run(
      ["mutants", "--seeds", "2", "--seed", "1", "--output", folder] + words,
      composition: composition
    )
  }

  @Test func `A trial whose plan takes too long or crashes counts as killed, and is reported`() {
    let unfinished = [MutantTrial.UnfinishedTrial.late, .crashed, .crashed].map { ending in
      MutantTrial(
        mutant: "mortal",
        seed: 1,
        caseCount: 0,
        seconds: 30,
        kills: [],
        unfinished: ending
      )
    }
    let outcome = MutantOutcome(mutant: .mortal, trials: unfinished)
    #expect(outcome.word == "killed" && outcome.killCount == 3)
    #expect(outcome.checkers.map(\.name) == ["over 30 s", "a crash"])
    #expect(outcome.checkers.map(\.count) == [1, 2])
  }

  @Test func `The process of a trial ends at its time limit`() async {
    let late = await TrialProcess.run("/bin/sh", ["-c", "exec sleep 600"], limit: .seconds(1))
    #expect(late.isLate && late.status == SIGKILL)
    let whole = await TrialProcess.run("/bin/sh", ["-c", "echo text; exit 3"], limit: .seconds(60))
    #expect(!whole.isLate && !whole.isCrash && whole.status == 3 && whole.text == "text\n")
    let crashed = await TrialProcess.run("/bin/sh", ["-c", "kill -ILL $$"], limit: .seconds(60))
    #expect(crashed.isCrash && !crashed.isLate && !late.isCrash)
    let ended = await TrialProcess.run("/bin/sh", ["-c", "kill -KILL $$"], limit: .seconds(60))
    #expect(!ended.isCrash && !ended.isLate && ended.status == SIGKILL)
    let none = await TrialProcess.run("/no/such/program", [], limit: .seconds(60))
    #expect(none.status == nil)
  }

  @Test func `A plan is late once it takes longer than the limit`() {
    let watch = PlanWatch(limit: .seconds(30))
    let start = ContinuousClock.now
    #expect(!watch.isLate(at: start + .seconds(100)))
    watch.begin(at: start)
    #expect(!watch.isLate(at: start + .seconds(30)) && watch.isLate(at: start + .seconds(31)))
    watch.begin(at: start + .seconds(30))
    #expect(!watch.isLate(at: start + .seconds(31)))
  }

  @Test func `A mutant that ran with no seed is neither killed nor a survivor`() throws {
    let trial = MutantTrial(mutant: "mortal", seed: 1, caseCount: 3, seconds: 1, kills: [])
    let report = MutantReport(
      seed: 1,
      seedCount: 1,
      seconds: 1,
      folder: "",
      outcomes: [
        MutantOutcome(mutant: .mortal, trials: []),
        MutantOutcome(mutant: .same, trials: []),
        MutantOutcome(mutant: .immortal, trials: [trial]),
      ]
    )
    #expect(report.outcomes.map(\.word) == ["not tried", "not tried", "survived"])
    #expect(report.killedCount == 0)
    #expect(report.failures.map(\.mutant.name) == ["immortal"])
    #expect(report.because == "0 of 2 mutants killed by every one of 1 seed; the run ended early.")
    let joined = MutantDocument(
      joining: [MutantDocument(report, for: .folder)],
      gaps: ["part 1/2 was ended early."]
    )
    #expect(joined.killed == 0)
    #expect(
      joined.because
        == "0 of 2 mutants killed by every one of 1 seed; immortal is not as expected. Part 1/2 was ended early."
    )
  }

  // MARK: Options

  @Test func `Every mutant runs with ten seeds by default`() throws {
    let options = try MutantsOptions(parse("mutants"), in: .sample)
    #expect(
      options.mutants.map(\.name) == Composition.sample[MutantTrials.self].mutants.map(\.name)
    )
    #expect(options.seedCount == 10 && options.seed == 42 && options.jobs == 3)
    #expect(options.output == "Reports/runs" && !options.json)
    #expect(try MutantsOptions(parse("mutants --quick"), in: .sample).seedCount == 3)
    #expect(try MutantsOptions(parse("mutants --quick --seeds 5"), in: .sample).seedCount == 5)
  }

  @Test func `Mutants are selected by name, with or without prefix, or by the start of the name`()
    throws
  {
    let line = "mutants --only purge-to-head --only mutant/fetch-at-cursor --only clock"
    let options = try MutantsOptions(parse(line), in: .sample)
    #expect(
      options.mutants.map(\.name) == [
        "fetch-at-cursor", "purge-to-head", "clock-raw", "clock-ties",
      ]
    )
  }

  @Test func `A build without seeded bugs reports how to build with them`() async {
    let result = await run(["mutants"], composition: .current)
    #expect(result.code == .usage)
    #expect(result.errors.contains("scripts/mutants"))
  }

  @Test func `An unknown mutant is refused, and the nearest is suggested`() async {
    let result = await run(["mutants", "--only", "purge-to-haed"])
    #expect(result.code == .usage)
    #expect(
      result.errors.contains("unknown mutant \"purge-to-haed\". Did you mean \"purge-to-head\"?")
    )
  }

  // MARK: Outcomes

  @Test func `A mutant that every seed kills is reported as killed, with its killers`()
    async throws
  {
    try await withFolder { folder in
      let result = await mutants([.mortal], in: folder)
      #expect(result.code == .good)
      let row = try #require(result.output.split(separator: "\n").first { $0.hasPrefix("mortal") })
      let words = row.split(separator: " ").map(String.init)
      #expect(words.prefix(5) == ["mortal", "killed", "2/2", "PurgeSafety", "2"])
      #expect(words.suffix(6) == ["3", "3", "3", "2/2", "3", "2"])
      #expect(result.output.contains("1 of 1 mutants killed by every one of 2 seeds."))
      #expect(result.output.contains("100 % reached the shortest known length"))
    }
  }

  @Test func `A mutant that no seed kills is reported as survived`() async throws {
    try await withFolder { folder in
      let result = await mutants([.immortal, .mortal], in: folder)
      #expect(result.code == .violation)
      #expect(result.output.contains("immortal  survived     0/2"))
      #expect(result.output.contains("immortal survived: Nothing is wrong with it."))
      #expect(result.output.contains("history-lab check --system mutant/immortal"))
      #expect(result.output.contains("1 of 2 mutants killed by every one of 2 seeds; immortal is"))
    }
  }

  @Test func `A mutant that is listed as equivalent is reported with the reason`() async throws {
    try await withFolder { folder in
      let result = await mutants([.same], in: folder)
      #expect(result.code == .good)
      #expect(result.output.contains("same: It is the standard."))
    }
  }

  @Test func `A mutant that is wrongly listed as equivalent is reported`() async throws {
    try await withFolder { folder in
      let result = await mutants([.wronglySame], in: folder)
      #expect(result.code == .violation)
      #expect(result.output.contains("other was killed, but is listed as equivalent"))
    }
  }

  // MARK: Results

  @Test func `Results are written to the run's folder and do not depend on the number of jobs`()
    async throws
  {
    try await withFolder { folder in
      var documents: [MutantDocument] = []
      for jobs in ["1", "3"] {
        let result = await mutants([.mortal, .same], "--json", "--jobs", jobs, in: folder)
        #expect(result.code == .good)
        documents.append(
          try JSONDecoder().decode(MutantDocument.self, from: Data(result.output.utf8))
        )
      }
      let (one, three) = (documents[0], documents[1])
      #expect(one.verdict == "valid" && one.killed == 1 && one.seeds == 2 && one.seed == "0x1")
      #expect(one.outcomes.map(\.outcome) == ["killed", "equivalent"])
      #expect(one.outcomes.map(\.killed) == three.outcomes.map(\.killed))
      #expect(one.outcomes.map(\.casesMedian) == three.outcomes.map(\.casesMedian))
      #expect(one.outcomes.map(\.plan) == three.outcomes.map(\.plan))
      // Failures are grouped, and a mutant that no plan kills has none.
      let (failures, groups) = (one.outcomes.map(\.failures), one.outcomes.map(\.groups))
      #expect(try #require(groups[0]) >= 1 && #require(groups[0]) <= #require(failures[0]))
      #expect(groups[1] == 0 && groups == three.outcomes.map(\.groups))
      let csv = try String(contentsOfFile: "\(one.folder)/mutants.csv", encoding: .utf8)
      let lines = csv.split(whereSeparator: \.isNewline)
      #expect(lines.count == 5 && lines[1].hasPrefix("mortal,0x"))
      for file in ["mutants.json", "plan-mortal.jsonl", "run.json"] {
        #expect(FileManager.default.fileExists(atPath: "\(one.folder)/\(file)"), "\(file)")
      }
    }
  }
}

extension Mutant {
  /// Bugs that this build lacks: an in-memory design replaces the edited code.
  static let immortal = Mutant("immortal", number: 1, least: 1, "Nothing is wrong with it.")
  static let mortal = Mutant(
    "mortal",
    number: 2,
    least: 3,
    "It purges what the fastest has merged."
  )
  static let same = Mutant("same", number: 3, sameBecause: "It is the standard.", "Nothing.")
  static let wronglySame = Mutant(
    "other",
    number: 4,
    sameBecause: "Somebody says so.",
    "It purges what the fastest has merged."
  )
}

extension Composition {
  /// Adds some mutants, with ten plans a seed.
  mutating func take(_ some: [Mutant]) {
    self[MutantTrials.self].mutants = some
    self[MutantTrials.self].caseCountMax = 10
    self[MutantTrials.self].system = { mutant in
      let isMistaken = mutant.sentence.hasPrefix("It purges")
      let name = isMistaken ? "greatest-cursor" : "tracker"
      guard var system = LabSystem.named(name) else { fatalError("there is no \(name)") }
      system.name = Mutant.prefix + mutant.name
      return system
    }
  }
}
