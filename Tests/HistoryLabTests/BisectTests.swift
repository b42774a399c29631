import Foundation
import HistoryBenchmarks
import LabFixtures
import Measuring
import Reporting
import Synchronization
import TestSupport
import Testing

@testable import BenchCommands
@testable import Commands
@testable import HistoryLab

/// A git repository that a test makes, whose commits hold a script in place of the command.
private struct SampleRepository {
  let root: String
  /// The names of the commits of the main line, the oldest first.
  private(set) var commits: [String] = []

  init(in folder: String) async throws {
    root = folder + "/repository"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try await git("init", "--quiet", "--initial-branch=main")
  }

  /// Commits a script as the command `history-lab`.
  mutating func commit(_ script: String) async throws {
    try makeFile("\(root)/history-lab", "#!/bin/sh\n# \(commits.count)\n\(script)\n")
    try await git("add", "history-lab")
    try await git("commit", "--quiet", "--message", "Commit \(commits.count)")
    commits.append(try await git("rev-parse", "HEAD"))
  }

  @discardableResult func git(_ words: String...) async throws -> String {
    let setting = [
      "-C", root, "-c", "user.name=A", "-c", "user.email=a@example.com", "-c",
      "commit.gpgSign=false",
    ]
    let outcome = try await ProgramOutput.text(of: "/usr/bin/env", ["git"] + setting + words)
    try #require(outcome.code == 0, "\(words): \(outcome.text)")
    return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Takes the script of a commit as its executable; a script with the word `broken` does not build.
  ///
  /// A shell writes the file. If this process wrote it, a child that another test starts at that moment
  /// would have the file open for writing, and the file could not be executed ("Text file busy").
  static func build(_ commit: Commit, _ root: String, _ folder: String) throws -> String {
    let file = "\(folder)/\(commit.short)"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", #"git -C "$0" show "$1:history-lab" >"$2" && chmod 700 "$2""#, root, commit.hash, file,
    ]
    try process.run()
    process.waitUntilExit()
    let script = try String(contentsOfFile: file, encoding: .utf8)
    if script.contains("broken") { throw CommitBuild.Failure(description: "swift build failed") }
    return file
  }
}

@Suite(.blocksItsThread) struct `The verb bisect` {
  /// A history of commits after a good one, numbered from 0.
  private func history(_ count: Int) -> BisectHistory {
    func commit(_ number: Int) -> Commit {
      Commit(
        hash: String(repeating: "0", count: 36) + String(number + 1_000),
        subject: "Commit \(number)",
        date: "2026-01-01T00:00:00Z"
      )
    }
    return BisectHistory(good: commit(-1), commits: (0..<count).map(commit))
  }

  private let plan = BisectQuestion.replay(file: "plan.jsonl")

  private func bisect(
    _ history: BisectHistory,
    _ question: BisectQuestion? = nil,
    on kept: TestTerminal = TestTerminal(),
    ask: @escaping (Int) throws -> BisectAnswer
  ) throws -> BisectOutcome {
    var run = BisectRun(history, question ?? plan, on: kept.terminal) { commit in
      try ask(history.commits.firstIndex(of: commit) ?? -1)
    }
    return try run.run()
  }

  // MARK: A repository

  /// Runs the verb in a repository, whose commits are built by copying their script.
  private func bisect(
    _ repository: SampleRepository,
    _ folder: String,
    _ words: String
  ) async throws -> (code: ExitCode, output: String, errors: String) {
    var composition = Composition.current
    composition[BisectCommands.self].executable = { commit, root, _ in
      try SampleRepository.build(commit, root, folder)
    }
    let kept = TestTerminal()
    let verb = BisectVerb(
      options: try BisectOptions(parse("bisect \(words)"), in: composition),
      composition: composition,
      terminal: kept.terminal,
      place: repository.root
    )
    do {
      let code = try await verb.run()
      return (code, kept.output.text, kept.errors.text)
    } catch {
      return (error.exitCode, kept.output.text, error.sentence)
    }
  }

  @Test(.needs(.git))
  func `The first commit of a repository whose replay fails is reported`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/plan file.jsonl")
      var repository = try await SampleRepository(in: folder)
      let good = #"test "$1 $2" = "replay \#(folder)/plan file.jsonl" || exit 64; exit 0"#
      let scripts = [
        good, good, "# broken", good, "kill -ABRT $$",
        "echo 'history-lab: version 9 is unknown' >&2; exit 64", "exit 1", "exit 1", "exit 1",
      ]
      for script in scripts { try await repository.commit(script) }
      let line = "\"\(folder)/plan file.jsonl\" --good \(repository.commits[0])"
      let result = try await bisect(repository, folder, line)
      #expect(result.code == .undecided, "\(result.errors)")
      #expect(result.output.contains("one of these 3 commits, since all but the last"))
      let shorts = repository.commits.map { String($0.prefix(12)) }
      for short in shorts[4...6] { #expect(result.output.contains("  \(short)  ")) }
      #expect(!result.output.contains("  \(shorts[3])  "))
      #expect(result.output.contains("Skipped \(shorts[4]) Commit 4: replay was ended by signal 6"))
      #expect(
        result.output.contains("Commit 5: replay ended with exit code 64: version 9 is unknown\n")
      )
      let named = try await bisect(
        repository,
        folder,
        line + " --bad \(repository.commits[3]) --json"
      )
      #expect(named.code == .usage && named.errors.contains("breaks no invariant there"))
    }
  }

  @Test(.needs(.git))
  func `The result as JSON holds the commit, the skipped ones and the number of builds`()
    async throws
  {
    struct Document: Decodable {
      struct Commit: Decodable {
        let hash: String
        let subject: String
        let date: String
      }
      struct Judged: Decodable {
        let commit: Commit
        let judgement: String
        let reason: String?
      }
      let bisect: Int
      let firstBad: Commit
      let builds: Int
      let judged: [Judged]
    }
    try await withFolder { folder in
      try makeFile("\(folder)/plan.jsonl")
      var repository = try await SampleRepository(in: folder)
      for script in ["exit 0", "exit 0", "exit 0", "# broken", "exit 0", "exit 1", "exit 1"] {
        try await repository.commit(script)
      }
      let line = "\(folder)/plan.jsonl --good \(repository.commits[0]) --json"
      let result = try await bisect(repository, folder, line)
      #expect(result.code == .good, "\(result.errors)")
      let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
      #expect(document.bisect == 1 && document.firstBad.hash == repository.commits[5])
      #expect(document.firstBad.subject == "Commit 5" && document.firstBad.date.contains("T"))
      #expect(document.builds == 5 && document.judged.count == 5)
      let skipped = document.judged.filter { $0.judgement == "skipped" }
      #expect(skipped.map(\.reason) == ["it does not build"])
      #expect(skipped.map(\.commit.hash) == [repository.commits[3]])
    }
  }

  @Test(.needs(.git))
  func `Commits between which no commit can be searched are reported`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/plan.jsonl")
      var repository = try await SampleRepository(in: folder)
      for script in ["exit 0", "exit 0", "exit 1"] { try await repository.commit(script) }
      let commits = repository.commits
      try await repository.git("checkout", "--quiet", "-b", "side", commits[0])
      try makeFile("\(repository.root)/other")
      try await repository.git("add", "other")
      try await repository.git("commit", "--quiet", "--message", "Side")
      let side = try await repository.git("rev-parse", "HEAD")
      try await repository.git("checkout", "--quiet", "main")
      let file = "\(folder)/plan.jsonl"
      let table = [
        ("--good nowhere", #"there is no commit "nowhere""#),
        ("--good HEAD", "are the same commit"),
        ("--good \(side)", "is not an ancestor of --bad HEAD"),
        ("--good HEAD --bad HEAD~1", "is not an ancestor"),
      ]
      for (words, sentence) in table {
        let result = try await bisect(repository, folder, "\(file) \(words)")
        #expect(result.code == .usage && result.errors.contains(sentence), "\(result.errors)")
      }
      try await repository.git("merge", "--quiet", "--no-edit", "side")
      let merged = try await bisect(repository, folder, "\(file) --good \(side)")
      #expect(merged.code == .usage)
      #expect(merged.errors.contains("such as \(commits[0].prefix(12)), as --good"), "\(merged)")
      let searched = try await bisect(repository, folder, "\(file) --good \(commits[0])")
      #expect(searched.code == .good && searched.output.contains(commits[2]), "\(searched)")
      let elsewhere = BisectVerb(
        options: try BisectOptions(parse("bisect \(file) --good HEAD"), in: .sample),
        composition: .sample,
        terminal: TestTerminal().terminal,
        place: folder
      )
      await #expect(throws: LabError.self) { try await elsewhere.run() }
    }
  }

  @Test func `The default size of a count is one at which a quick run measures`() throws {
    var run = BenchmarkRun(
      subjects: [],
      historySizes: BenchmarkRun.quickSizes,
      seed: 1,
      budget: .rounds(1)
    )
    run.isQuick = true
    for subject in Subjects.all {
      let sizes = run.sizes(of: subject)
      guard !sizes.isEmpty else { continue }
      let count = try ExactCount(subject.name, metric: "VM steps", historySize: nil, in: .current)
      #expect(count.historySize == sizes.last, "\(subject.name)")
    }
  }

  @Test(.needs(.git))
  func `A count of a benchmark is searched for the commit that raised it`() async throws {
    let subject = "fetch newest 100"
    try await withFolder { folder in
      var repository = try await SampleRepository(in: folder)
      for (number, count) in [1_367, 1_367, nil, 1_367, 1_400, 1_500].enumerated() {
        guard let count else {
          try await repository.commit("echo '{}'")
          continue
        }
        let row = BenchmarkRow(
          subject: "Store.fetch",
          operation: "after token",
          condition: "100 new, warm, tmpfs",
          contender: "Store",
          historySize: 100_000,
          metric: .vmSteps,
          samples: [Double(count)],
          seed: 1
        )
        let environment = RunEnvironment.current(sqlite: "3", commit: nil, time: .now(), seed: 1)
        let results = BenchmarkResults(environment: environment, rows: [row])
        try makeFile("\(folder)/results-\(number).json", ResultsFile.json(results))
        try await repository.commit("cat \(folder)/results-\(number).json")
      }
      let line = "--count \"\(subject)\" --metric \"VM steps\" --good \(repository.commits[0])"
      let result = try await bisect(repository, folder, line)
      #expect(result.code == .good, "\(result.errors)")
      #expect(result.output.contains("First bad commit: \(repository.commits[4])\n"))
      #expect(result.output.contains("  1,400, before 1,367\n"))
      let titled = "--count \"Store.fetch after token, 100 new, warm, tmpfs\" --metric \"VM steps\""
      let same = try await bisect(
        repository,
        folder,
        "\(titled) --good \(repository.commits[0]) --bad \(repository.commits[3])"
      )
      #expect(same.code == .usage && same.errors.contains("1,367 at "), "\(same.errors)")
      let other = try await bisect(repository, folder, line + " --size 1000")
      #expect(other.code == .undecided && other.errors.contains("not have this count"), "\(other)")
    }
  }

  // MARK: The ends

  @Test func `A commit next to the good one is named without further builds`() throws {
    let outcome = try bisect(history(1)) { $0 < 0 ? .holds : .broken }
    #expect(outcome.firstBad == outcome.history.bad && outcome.judged.count == 2)
  }

  @Test(arguments: [
    (BisectAnswer.broken, BisectAnswer.broken, "breaks an invariant there, too", ExitCode.usage),
    (.holds, .holds, "changes that are not committed are not built", .usage),
    (.none(because: "it does not build"), .broken, "--good 000000000000 cannot", .undecided),
    (.holds, .none(because: "it does not build"), "--bad 000000000000 cannot", .undecided),
    (.count(3), .count(3), "Give commits with different counts", .usage),
  ])
  func `A good or bad commit with the wrong outcome is reported`(
    good: BisectAnswer,
    bad: BisectAnswer,
    sentence: String,
    code: ExitCode
  ) throws {
    let error = try #require(throws: LabError.self) {
      try bisect(history(9)) { $0 < 0 ? good : bad }
    }
    #expect(error.sentence.contains(sentence) && error.exitCode == code, "\(error.sentence)")
  }

  // MARK: Counts

  @Test(arguments: [[5, 5, 6, 9], [5, 4, 6, 9], [9, 9, 8, 5], [9, 10, 8, 5]] as [[Double]])
  func `A count is bad if it differs in the direction of the bad commit`(
    counts: [Double]
  ) throws {
    let outcome = try bisect(history(3)) { .count(counts[$0 + 1]) }
    #expect(outcome.firstBad == outcome.history.commits[1])
  }

  @Test func `A benchmark, a metric or a size that no run counts is refused`() {
    let table = [
      ("--count \"fetch newst 100\" --metric \"VM steps\"", "Did you mean \"fetch newest 100\"?"),
      ("--count \"fetch newest 100\" --metric \"VM step\"", "Did you mean \"VM steps\"?"),
      ("--count \"fetch newest 100\" --metric wall", "unknown count \"wall\""),
      ("--count \"fetch newest 100\"", "--count needs --metric"),
      (
        "--count \"fetch newest 100\" --metric allocations --size 5000", "1,000, 10,000 and 100,000"
      ),
      ("--count \"fetch newest 100\" --metric allocations Package.swift", "leave out one"),
      ("--metric allocations --size 1000", "--metric and --size works only with --count"),
      ("", "bisect needs FILE"),
    ]
    for (words, sentence) in table {
      let error = #expect(throws: LabError.self) {
        try BisectOptions(parse("bisect --good HEAD~1 \(words)"), in: .current)
      }
      #expect(error?.sentence.contains(sentence) == true, "\(error?.sentence ?? "")")
    }
  }

  // MARK: Interruption

  @Test func `An interruption ends with the commits that are left`() throws {
    let kept = TestTerminal()
    let builds = Mutex(0)
    let outcome = try bisect(history(64), on: kept) { number in
      let build = builds.withLock { count in
        count += 1
        return count
      }
      if build > 4 { throw Interrupted() }
      return number < 40 ? .holds : .broken
    }
    #expect(outcome.isEndedEarly && outcome.firstBad == nil)
    #expect(outcome.candidates?.count == 16)
    #expect(outcome.candidates?.contains(outcome.history.commits[40]) == true)
    #expect(kept.errors.text.contains("Stopping early"))
    BisectText(terminal: kept.terminal).print(outcome)
    #expect(kept.output.text.contains("one of these 16 commits, since the search ended early"))
  }

  @Test func `Before both ends were verified an interruption names no commit`() throws {
    let kept = TestTerminal()
    let outcome = try bisect(history(8), on: kept) { number in
      if number >= 0 { throw Interrupted() }
      return .holds
    }
    #expect(outcome.candidates == nil && outcome.judged.count == 1)
    BisectText(terminal: kept.terminal).print(outcome)
    #expect(kept.output.text.contains("no commit is named"))
  }
}
