import Foundation
import HistoryBenchmarks
import LabFixtures
import Measuring
import Reporting
import TestSupport
import Testing

@testable import BenchCommands
@testable import Commands
@testable import HistoryLab

/// Parts that were ended early, repeated, resumed elsewhere, or run with other options.
@Suite struct `Parts of a disturbed run` {
  private static var composition: Composition {
    var composition = Composition.sample
    composition.catalogue = Composition.current.catalogue
    return composition
  }

  private func lab(
    _ line: String
  ) async -> (code: ExitCode, output: String, errors: String) {
    await run(line.split(separator: " ").map(String.init), composition: Self.composition)
  }

  private func check(_ folder: String) throws -> CheckDocument {
    try #require(try RunDocument.read(folder + "/latest/check.json"))
  }

  /// Runs both parts of a check, each in its own folder.
  private func runParts(_ words: String, in folder: String) async {
    for part in 1...2 {
      _ = await lab("\(words) --output \(folder)/part-\(part) --shard \(part)/2")
    }
  }

  private func merge(_ folder: String) async -> (code: ExitCode, output: String, errors: String) {
    await lab("report merge \(folder)/part-1 \(folder)/part-2 --output \(folder)/joined")
  }

  /// Changes the fields of a JSON file.
  private func edit(_ path: String, _ change: (inout [String: Any]) -> Void) throws {
    let url = URL(fileURLWithPath: path)
    var fields = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    )
    change(&fields)
    try JSONSerialization.data(withJSONObject: fields).write(to: url)
  }

  // MARK: Ended early

  @Test(arguments: [true, false])
  func `A part that was ended early leaves the merged check undecided`(
    isMarked: Bool
  ) async throws {
    try await withFolder { folder in
      await runParts("check --plans 6 --seed 7", in: folder)
      // What a check writes when SIGTERM ends it; older versions write the sentence alone.
      for file in ["run.json", "check.json"] {
        try edit("\(folder)/part-1/latest/\(file)") { fields in
          fields["verdict"] = "unknown"
          fields["because"] = "\(fields["because"] ?? "") It was ended early."
          if isMarked { fields["endedEarly"] = true }
        }
      }
      for part in 1...2 where !isMarked {
        try edit("\(folder)/part-\(part)/latest/run.json") { $0["lab"] = nil }
      }
      let result = await merge(folder)
      #expect(result.code == .undecided, "\(result.errors)")
      let joined = try check(folder + "/joined")
      #expect(joined.verdict == "unknown")
      #expect(joined.because.contains("Part 1/2 was ended early"), "\(joined.because)")
      let record = try FinishedRun.record(folder + "/joined/latest")
      #expect(record.verdict == "unknown" && record.because == joined.because)
    }
  }

  @Test func `A run failure in one part leaves the merged check undecided`() async throws {
    try await withFolder { folder in
      await runParts("check --plans 6 --seed 7", in: folder)
      try edit("\(folder)/part-2/latest/check.json") { fields in
        var systems = fields["systems"] as? [[String: Any]] ?? []
        systems[0]["plansInTrouble"] = 1
        systems[0]["trouble"] = "It exited with 3. It had said nothing."
        fields["systems"] = systems
      }
      let result = await merge(folder)
      #expect(result.code == .undecided, "\(result.errors)")
      let because = try check(folder + "/joined").because
      #expect(because.contains("It exited with 3."), "\(because)")
    }
  }

  @Test func `A part that was not repeatable makes the merged check nondeterministic`()
    async throws
  {
    try await withFolder { folder in
      await runParts("check --plans 6 --seed 7", in: folder)
      try edit("\(folder)/part-2/latest/check.json") { fields in
        var systems = fields["systems"] as? [[String: Any]] ?? []
        systems[0]["nondeterministicPlan"] = 4
        systems[0]["nondeterministicEvent"] = 17
        fields["systems"] = systems
      }
      let result = await merge(folder)
      // The exit code of the check itself.
      #expect(result.code == .undecided, "\(result.errors)")
      let joined = try check(folder + "/joined")
      #expect(joined.verdict == "nondeterministic")
      #expect(joined.because.contains("plan 4 gave a different trace"), "\(joined.because)")
      #expect(joined.because.contains("from event 17 on"), "\(joined.because)")
    }
  }

  @Test func `Power-offs that no part met leave the merged check as undecided as the whole`()
    async throws
  {
    try await withFolder { folder in
      let words = "check --conditions power-off --plans 40 --seed 7"
      let whole = await lab("\(words) --output \(folder)/whole")
      await runParts(words, in: folder)
      let result = await merge(folder)
      #expect(whole.code == .undecided)
      #expect(result.code == whole.code, "\(result.errors)")
      let expected = try check(folder + "/whole").because
      let because = try check(folder + "/joined").because
      #expect(because == expected)
    }
  }

  @Test func `A violation counts although a part is missing`() async throws {
    try await withFolder { folder in
      await runParts("check --system article --plans 6 --seed 7", in: folder)
      let part = try check(folder + "/part-1")
      try #require(part.verdict == "invalid")
      let result = await lab("report merge \(folder)/part-1 --output \(folder)/joined")
      #expect(result.code == .violation)
      #expect(result.errors.contains("part 2/2 is missing."))
      let joined = try check(folder + "/joined")
      #expect(joined.verdict == "invalid")
      #expect(joined.because.hasSuffix("Part 2/2 is missing."), "\(joined.because)")
    }
  }

  @Test func `A missing part leaves the check's own file undecided`() async throws {
    try await withFolder { folder in
      await runParts("check --plans 6 --seed 7", in: folder)
      let result = await lab("report merge \(folder)/part-1 --output \(folder)/joined")
      #expect(result.code == .undecided)
      let joined = try check(folder + "/joined")
      #expect(joined.verdict == "unknown")
    }
  }

  // MARK: Resumed

  @Test func `A resumed part stays the part of its record`() async throws {
    var composition = Composition.small
    composition.command = BuiltCommand.path
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "member record", "--only", "member join"]
      let only = words + ["--axis", "base", "--rounds", "1", "--output", folder]
      let first = await run(only + ["--shard", "2/2"], composition: composition)
      #expect(first.code == .good, "\(first.errors)")
      let latest = folder + "/latest"
      let titles = try ResultsFile.read(path: latest + "/results.json").titles
      try #require(titles.count == 1)
      // It was task 2 of an array that Slurm no longer runs.
      try rewrite(latest) { $0.commandLine = ["history-lab"] + only + ["--shard", "auto"] }
      try BenchJournal(in: latest).begin()
      let again = await run(["bench", "run", "--resume", latest], composition: composition)
      #expect(again.code == .good, "\(again.errors)")
      #expect(try ResultsFile.read(path: latest + "/results.json").titles == titles)
      #expect(try FinishedRun.record(latest).shard == Shard(2, of: 2))
    }
  }

  private func rewrite(_ run: String, _ change: (inout RunRecord) -> Void) throws {
    var record = try FinishedRun.record(run)
    change(&record)
    try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: run + "/run.json"))
  }

  // MARK: Of different runs

  @Test(arguments: [
    (
      "check --plans 90 --conditions all --shard 2/2",
      "--conditions is all in the latter and not given in the former; "
        + "--plans is 90 in the latter and 60 in the former"
    ),
    ("check --shard 2/2", "--plans is not given in the latter and 60 in the former"),
    (
      "check --plans 60 --twice --shard 2/2", "--twice is given in the latter and not in the former"
    ),
    ("replay x.jsonl", "the command is replay in the latter and check in the former"),
  ])
  func `Parts with other options are refused, and the difference is reported`(
    line: String,
    difference: String
  ) async throws {
    try await withFolder { folder in
      let lines = ["check --plans 60 --seed 7 --jobs 2 --shard 1/2 --output parts", line]
      for (index, line) in lines.enumerated() {
        _ = try Night(folder + "/parts").bench(
          "\(index + 1)",
          ours: 1,
          shard: Shard(index + 1, of: 2)
        ) { $0.commandLine = ["history-lab"] + line.split(separator: " ").map(String.init) }
      }
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .usage)
      #expect(result.errors.contains(difference), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder + "/joined"))
    }
  }

  @Test(arguments: [
    [
      "bench run --quick --shard auto --output one",
      "bench run --output=two --shard=2/2 --quick --json",
    ],
    ["bench run --only a --only b --seed 7 --shard 1/2", "bench run --only a --only b --seed 0x7"],
  ])
  func `Parts may differ in where they write and how many plans run at once`(
    lines: [String]
  ) async throws {
    try await withFolder { folder in
      for (index, line) in lines.enumerated() {
        _ = try Night(folder + "/parts").bench(
          "\(index + 1)",
          ours: 1,
          shard: Shard(index + 1, of: 2)
        ) { $0.commandLine = ["history-lab"] + line.split(separator: " ").map(String.init) }
      }
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .good, "\(result.errors)")
    }
  }

  @Test func `Parts of other commits, versions and builds are refused`() async throws {
    try await expectRefusal(#"the commit is "def" in the latter and "abc" in the former"#) {
      $0.environment.commit = "def"
    }
    try await expectRefusal(#"the commit is unknown in the latter and "abc" in the former"#) {
      $0.environment.commit = nil
    }
    let swift = #"the version of Swift is "6.4" in the latter and "6.3.1" in the former"#
    try await expectRefusal(swift) { $0.environment.swift = "6.4" }
    let sqlite = #"the version of SQLite is "3.50" in the latter and "3.40.1" in the former"#
    try await expectRefusal(sqlite) { $0.environment.sqlite = "3.50" }
    try await expectRefusal(#"the build is "debug" in the latter and "release" in the former"#) {
      $0.environment.optimized = false
    }
  }

  private func expectRefusal(
    _ difference: String,
    _ change: (inout RunRecord) -> Void
  ) async throws {
    try await withFolder { folder in
      let night = Night(folder + "/parts")
      _ = try night.bench("1", ours: 1, shard: Shard(1, of: 2))
      _ = try night.bench("2", ours: 1, shard: Shard(2, of: 2), change: change)
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .usage)
      #expect(result.errors.contains(difference), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder + "/joined"))
    }
  }

  // MARK: Repeated

  @Test(arguments: [nil, "unknown"])
  func `A part that was run again counts, and its unfinished first try is reported`(
    verdict: String?
  ) async throws {
    try await withFolder { folder in
      let night = Night(folder + "/parts")
      let first = try night.bench("first", ours: 5, verdict: verdict, shard: Shard(1, of: 2)) {
        if $0.verdict != nil { $0.because = "ended early: 0 of 1 were measured" }
      }
      _ = try night.bench("again", ours: 1, day: 2, shard: Shard(1, of: 2))
      _ = try night.bench("other", ours: 1, shard: Shard(2, of: 2))
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .good, "\(result.errors)")
      let name = URL(fileURLWithPath: first).resolvingSymlinksInPath().path
      #expect(result.errors.contains("left out: \"\(name)\""), "\(result.errors)")
      let rows = try ResultsFile.read(path: folder + "/joined/latest/results.json").rows
      #expect(rows.contains { $0.contender == "Store" && $0.samples == [1, 1] })
    }
  }

  @Test func `A part that was only ended early counts as it is`() async throws {
    try await withFolder { folder in
      let night = Night(folder + "/parts")
      for name in ["first", "second"] {
        _ = try night.bench(name, ours: 1, verdict: "unknown", shard: Shard(1, of: 2)) {
          $0.because = "ended early: 0 of 1 were measured"
        }
      }
      _ = try night.bench("other", ours: 1, shard: Shard(2, of: 2))
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .undecided, "\(result.errors)")
      let because = try FinishedRun.record(folder + "/joined/latest").because
      #expect(because?.contains("part 1/2: ended early: 0 of 1 were measured") == true)
    }
  }

  // MARK: Arrays of Slurm

  @Test(arguments: [
    (0, "1/4"), (2, "2/4"), (6, "4/4"),
  ])
  func `An array with a step has its parts in order`(id: Int, part: String) throws {
    let environment = [
      "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "0",
      "SLURM_ARRAY_TASK_MAX": "6", "SLURM_ARRAY_TASK_STEP": "2",
    ]
    #expect(try ShardChoice.scheduled.shard(in: environment) == Shard(part))
  }

  @Test(arguments: [
    (["2", "1", "2", "2", "1"], "only the task"),
    (["3", "3", "0", "7", "1"], "gaps"),
    (["3", "3", "0", "7", ""], "gaps"),
    (["9", "4", "0", "3", "1"], "is not one of"),
    (["x", "4", "0", "3", "1"], "SLURM_ARRAY_TASK_ID"),
  ])
  func `An array that does not say how many parts there are is refused`(
    values: [String],
    words: String
  ) {
    let names = ["ID", "COUNT", "MIN", "MAX", "STEP"].map { "SLURM_ARRAY_TASK_" + $0 }
    let error = #expect(throws: LabError.self) {
      try ShardChoice.scheduled.shard(in: Dictionary(uniqueKeysWithValues: zip(names, values)))
    }
    let sentence = error?.sentence ?? ""
    #expect(sentence.contains(words), "\(sentence)")
    #expect(sentence.contains("--shard 2/4"), "\(sentence)")
  }

  // MARK: What a merged run keeps

  @Test func `A merged benchmark keeps the reasons, environments and command lines of its parts`()
    async throws
  {
    try await withFolder { folder in
      let night = Night(folder + "/parts")
      for part in 1...2 {
        _ = try night.bench("\(part)", ours: 1, verdict: "unknown", shard: Shard(part, of: 2)) {
          $0.because = part == 1 ? "measured" : "inconclusive: the noise is 30 %"
          if part == 1 { $0.verdict = "valid" }
          $0.environment.machine = "machine \(part)"
          $0.environment.load = Double(part)
          $0.commandLine = ["/bin/history-lab", "bench", "run", "--quick", "--shard", "auto"]
        }
      }
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .undecided, "\(result.errors)")
      let joined = folder + "/joined/latest"
      let record = try FinishedRun.record(joined)
      #expect(record.because?.contains("part 2/2: inconclusive: the noise is 30 %") == true)
      #expect(record.commandLine == ["/bin/history-lab", "bench", "run", "--quick"])
      #expect(record.environment.commit == "abc")
      let files = ["run.json", "results.json", "index.html", "goals.md"]
      for file in files {
        let text = try String(contentsOfFile: "\(joined)/\(file)", encoding: .utf8)
        for machine in ["machine 1", "machine 2"] {
          #expect(text.contains(machine), "\(file) lacks \(machine)")
        }
      }
      // The machine of one part was busy.
      #expect(try ResultsFile.read(path: joined + "/results.json").environment.isBusy)
    }
  }

  @Test func `A failed merge leaves no run behind, and latest where it was`() async throws {
    try await withFolder { folder in
      await runParts("check --system article --plans 6 --seed 7", in: folder)
      #expect(await merge(folder).code == .violation)
      let joined = folder + "/joined"
      let names = try FileManager.default.contentsOfDirectory(atPath: joined).sorted()
      let latest = try FileManager.default.destinationOfSymbolicLink(atPath: joined + "/latest")
      for (part, file) in [("part-1", "counterexample-"), ("part-2", "check.json")] {
        let run = "\(folder)/\(part)/latest"
        for name in try FileManager.default.contentsOfDirectory(atPath: run)
        where name.hasPrefix(file) {
          try FileManager.default.removeItem(atPath: "\(run)/\(name)")
        }
        let result = await merge(folder)
        #expect(result.code == .usage)
        #expect(try FileManager.default.contentsOfDirectory(atPath: joined).sorted() == names)
        #expect(
          try FileManager.default.destinationOfSymbolicLink(atPath: joined + "/latest") == latest
        )
      }
    }
  }

  #if os(Linux)
  @Test(.blocksItsThread)
  func `A process that may use one processor runs one plan at a time`() throws {
    let command = try #require(BuiltCommand.path)
    let allowed = try #require(
      try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        .first { $0.hasPrefix("Cpus_allowed_list:") }?.split(whereSeparator: {
          " \t,-".contains($0)
        })
    )
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("history-lab-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
    process.arguments = [
      "-c", String(allowed[1]), command, "check", "--plans", "1", "--output", folder,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(try FinishedRun.record(folder + "/latest").environment.processors == 1)
  }
  #endif
}
