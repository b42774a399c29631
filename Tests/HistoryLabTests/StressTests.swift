import Foundation
import LabFixtures
import TestSupport
import Testing

@testable import Commands
@testable import HistoryLab
@testable import Stressing

@Suite(.serialized, .blocksItsThread) struct `The verb stress` {
  // MARK: Options

  @Test func `By default three processes write for a minute`() throws {
    let options = try StressOptions(parse("stress"), in: .sample)
    #expect(options.processes == 3)
    #expect(options.settings.duration == .seconds(60))
    #expect(options.killsPerSecond == 1)
    #expect(options.rate == 25)
    #expect(options.settings.guests == 1)
    #expect(options.seed == 42)
    #expect(options.output == "Reports/runs")
    #expect(options.mutant == nil)
    #expect(options.disk == nil)
    #expect(!options.json)
  }

  @Test func `The time is given in minutes or in seconds`() throws {
    let minutes = try StressOptions(parse("stress --minutes 0.5 --processes 8"), in: .sample)
    #expect(minutes.settings.duration == .seconds(30))
    #expect(minutes.processes == 8)
    #expect(minutes.settings.guests == 2)
    let seconds = try StressOptions(parse("stress --seconds 1.5 --json"), in: .sample)
    #expect(seconds.settings.duration == .seconds(1.5))
    #expect(seconds.json)
  }

  @Test func `No process joins or retires when none is killed`() throws {
    let options = try StressOptions(parse("stress --kills-per-second 0"), in: .sample)
    #expect(options.settings.guests == 0)
  }

  @Test(arguments: ["record-before-merge", "mutant/record-before-merge"])
  func `A mutant is named with its prefix or without`(_ name: String) throws {
    let options = try StressOptions(parse("stress --mutant \(name)"), in: .sample)
    #expect(options.mutant == "record-before-merge")
  }

  @Test(arguments: [
    ("--processes 1", "--processes takes a whole number from 2 to 48"),
    ("--minutes 1 --seconds 1", "--minutes and --seconds cannot be given together."),
    ("--seconds 0", "--seconds takes a number from 0.1 to 604,800"),
    ("--kills-per-second 21", "--kills-per-second takes a number from 0 to 20"),
    ("--mutant record-before-merg", "Did you mean \"record-before-merge\"?"),
    ("--disk broken", "--disk takes"),
    ("--seconds 0.2 --shard 1/3", "each of 3 parts would write for less than 0.1 s"),
    ("--disk full --plain-sql", "--disk and --plain-sql cannot be given together."),
  ])
  func `Invalid stress options are refused`(_ words: String, _ sentence: String) async {
    let result = await run(["stress"] + words.split(separator: " ").map(String.init))
    #expect(result.code == .usage)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test func `Without the command no process is started`() async {
    let result = await run(["stress", "--seconds", "0.1"])
    #expect(result.code == .lab)
    #expect(result.errors.contains("this process is not history-lab"))
  }

  // MARK: Running

  @Test func `Processes that are killed and restarted agree with the store`() async throws {
    var composition = Composition.sample
    let command = try #require(BuiltCommand.path)
    composition.command = command
    try await withFolder { folder in
      let words = [
        "stress", "--seconds", "2", "--seed", "7", "--kills-per-second", "4", "--json",
        "--output", folder,
      ]
      let kept = await run(words, composition: composition)
      #expect(kept.code == .good, "\(kept.output) \(kept.errors)")
      let file = try String(contentsOfFile: "\(folder)/latest/stress.json", encoding: .utf8)
      #expect(kept.output == file)
      let document = try JSONDecoder().decode(Document.self, from: Data(file.utf8))
      #expect(document.verdict == "valid")
      #expect(document.kills > 0)
      #expect(document.result.counts.wakeUps > 0)
      #expect(document.result.participants.count >= 3)
      #expect(document.result.participants.allSatisfy { $0.merged > 0 })
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/latest/scratch"))
    }
  }

  @Test func `The parts of a stress run join to one run, and a missing part leaves it undecided`()
    async throws
  {
    var composition = Composition.sample
    let command = try #require(BuiltCommand.path)
    composition.command = command
    try await withFolder { folder in
      for part in 1...2 {
        let words = [
          "stress", "--seconds", "2", "--processes", "2", "--kills-per-second", "0", "--seed", "9",
          "--shard", "\(part)/3", "--output", "\(folder)/part-\(part)",
        ]
        let kept = await run(words, composition: composition)
        #expect(kept.code == .good, "\(kept.output) \(kept.errors)")
      }
      let parts = ["\(folder)/part-1", "\(folder)/part-2"]
      let merge = ["report", "merge"] + parts + ["--output", folder + "/joined"]
      let merged = await run(merge, composition: composition)
      #expect(merged.code == .undecided && merged.errors.contains("part 3/3 is missing"))
      let documents = try (parts + [folder + "/joined"]).map { folder in
        let file = URL(fileURLWithPath: folder + "/latest/stress.json")
        return try JSONDecoder().decode(Document.self, from: Data(contentsOf: file))
      }
      #expect(documents.map(\.verdict) == ["valid", "valid", "unknown"])
      #expect(Set(documents.map(\.result.seed)).count == 3 && documents[2].result.seed == "0x9")
      let sum = documents[0].result.committed + documents[1].result.committed
      #expect(documents[2].result.committed == sum && sum > 0)
      #expect(documents[0].result.seconds < 1.9)
      let page = try String(contentsOfFile: folder + "/joined/latest/index.html", encoding: .utf8)
      #expect(page.contains("Part 3/3 is missing"))
    }
  }

  @Test func `A part that broke an invariant is named in the joined verdict`() async throws {
    var composition = Composition.sample
    composition.command = "/usr/bin/false"
    try await withFolder { folder in
      for part in 1...2 {
        let words = ["stress", "--seconds", "0.2", "--processes", "2", "--seed", "9"]
        let place = ["--shard", "\(part)/2", "--output", "\(folder)/part-\(part)"]
        #expect(await run(words + place, composition: composition).code == .violation)
      }
      let merge = ["report", "merge", folder + "/part-1", folder + "/part-2", "--output", folder]
      let merged = await run(merge, composition: composition)
      #expect(merged.code == .violation)
      #expect(merged.output.contains("Part 2/2: Process-1 ended by itself"), "\(merged.output)")
    }
  }

  @Test(.needs(.sqlPrograms))
  func `All processes merge the plain SQL writes of a Python script`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let words = [
        "stress", "--seconds", "2", "--seed", "5", "--kills-per-second", "3", "--plain-sql",
        "--output", folder,
      ]
      let answer = try await ProcessAnswer(of: command, words)
      #expect(answer.code == ExitCode.good.rawValue, "\(answer.said)")
      #expect(answer.said.contains("a Python script with plain SQL wrote"))
      let file = try String(contentsOfFile: "\(folder)/latest/stress.json", encoding: .utf8)
      let document = try JSONDecoder().decode(Document.self, from: Data(file.utf8))
      let program = try #require(document.result.plainSQL)
      #expect(program.written > 0 && program.lives >= program.kills)
      let page = try String(contentsOfFile: "\(folder)/latest/index.html", encoding: .utf8)
      #expect(page.contains(program.sentence.dropFirst()))
    }
  }

  @Test func `Without python3 no script is started`() async throws {
    let command = try #require(BuiltCommand.path)
    let script = "PATH=/nonexistent '\(command)' stress --seconds 1 --plain-sql"
    let answer = try await ProcessAnswer(of: "/bin/sh", ["-c", script])
    #expect(answer.code == ExitCode.usage.rawValue)
    #expect(answer.said.contains("--plain-sql needs python3"), "\(answer.said)")
  }

  /// With the permission to mount, the full disk is a real file system; otherwise SQLite's calls
  /// fail.
  @Test func `A disk that is full at times loses no acknowledged write and leaves no mount`()
    async throws
  {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      func stress(seconds: Int) async throws -> ProcessAnswer {
        let words = ["stress", "--seconds", "\(seconds)", "--seed", "7", "--disk", "full"]
        return try await ProcessAnswer(of: command, words + ["--output", folder])
      }
      // On a busy machine no process may write while the disk is full, which leaves the run undecided.
      var answer = try await stress(seconds: 3)
      for seconds in [10, 30] where answer.code == ExitCode.undecided.rawValue {
        answer = try await stress(seconds: seconds)
      }
      #expect(answer.code == ExitCode.good.rawValue, "\(answer.said)")
      let mounts = try await canMount()
      let kind = mounts ? "a file system of 128 MB that was filled" : "the disk was full"
      #expect(answer.said.contains(kind), "\(answer.said)")
      let file = try String(contentsOfFile: "\(folder)/latest/stress.json", encoding: .utf8)
      let document = try JSONDecoder().decode(Document.self, from: Data(file.utf8))
      let errors = document.result.participants.map { $0.errors["full"] ?? 0 }
      #expect(errors.reduce(0, +) > 0, "\(errors)")
      #expect((document.result.filledCount ?? 0 > 0) == mounts)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/latest").sorted()
      #expect(left == ["index.html", "run.json", "stress.json"])
      #expect(answer.said.contains("\nReport: \(folder)/"))
    }
  }

  #if os(Linux)
  @Test(.needs(.mountableFileSystem, where: canMount))
  func `A full disk accepts no write until it is cleared, and keeps its files`() async throws {
    try await withFolder { folder in
      let store = folder + "/store"
      try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
      let errors: [Int32] = try await inNewThread {
        let disk = try #require(FullDisk(over: store, seed: 1))
        let file = open(store + "/file", O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        let full = ContinuousClock.now + .seconds(60)
        disk.tend(at: full, store: store + "/none")
        let refused = posix_fallocate(file, 0, 1 << 20)
        disk.clear()
        let taken = posix_fallocate(file, 0, 1 << 20)
        try disk.dissolve()
        return [refused, taken]
      }
      #expect(errors == [ENOSPC, 0])
      #expect(try FileManager.default.contentsOfDirectory(atPath: store) == ["file"])
      let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
      #expect(!mounts.contains(store))
    }
  }
  #endif

  @Test func `A foreign program counts as a process that ended`() async throws {
    var composition = Composition.sample
    composition.command = "/usr/bin/false"
    try await withFolder { folder in
      let words = ["stress", "--seconds", "0.1", "--processes", "2", "--output", folder]
      let kept = await run(words, composition: composition)
      #expect(kept.code == .violation)
      #expect(kept.output.contains("Process-1 ended by itself with code 1; process-2 ended"))
      let file = try #require(kept.errors.split(separator: " ").last).dropLast()
      #expect(FileManager.default.fileExists(atPath: String(file)))
    }
  }

  // MARK: Ends

  @Test func `A process ends when its parent is gone`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let role = StressRole(
        name: "process-1",
        actors: ["process-1"],
        life: 0,
        seed: 1,
        store: folder + "/shared.store",
        traces: folder,
        rate: 5
      )
      let errors = try #require(FileHandle(forWritingAtPath: "/dev/null"))
      let child = try StressChild(command, role, errors: errors)
      while child.words() != [.ready], child.isRunning { sched_yield() }
      child.leave()
      #expect(child.ending.code == 70)
      #expect(!child.ending.isSignal)
    }
  }

  @Test func `An interrupted run leaves only readable results`()
    async throws
  {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let run = Process()
      run.executableURL = URL(fileURLWithPath: command)
      run.arguments = ["stress", "--seconds", "600", "--output", folder]
      run.standardOutput = FileHandle.nullDevice
      run.standardError = FileHandle.nullDevice
      try run.run()
      let traces = "\(folder)/latest/scratch/traces/run.jsonl"
      while run.isRunning, !FileManager.default.fileExists(atPath: traces) { sched_yield() }
      run.terminate()
      run.waitUntilExit()
      #expect(run.terminationStatus == ExitCode.undecided.rawValue)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/latest").sorted()
      #expect(left == ["index.html", "run.json", "stress.json"])
      let record = try String(contentsOfFile: folder + "/latest/run.json", encoding: .utf8)
      #expect(record.contains("it was interrupted after") && record.contains("\"endedEarly\""))
    }
  }

  private struct Document: Decodable {
    let verdict: String
    let kills: Int
    let result: StressResult
  }
}

/// Returns whether the product can mount a file system over a folder here, by its own probe.
private func canMount() async throws -> Bool {
  let folder = try TemporaryFolder()
  return try await inNewThread { FullDisk(over: folder.url.path, seed: 1) != nil }
}

/// Runs a closure in a new thread; its mounts end with the thread.
private func inNewThread<Answer: Sendable>(
  _ work: @escaping @Sendable () throws -> Answer
) async throws -> Answer {
  try await withCheckedThrowingContinuation { answer in
    Thread.detachNewThread { answer.resume(with: Result { try work() }) }
  }
}
