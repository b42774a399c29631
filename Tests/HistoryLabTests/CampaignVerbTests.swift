import Foundation
import LabFixtures
import Reporting
import Synchronization
import TestSupport
import Testing

@testable import Campaigns
@testable import Commands
@testable import HistoryLab
@testable import Stressing

@Suite(.serialized, .blocksItsThread) struct `The verb campaign` {
  private func lab(_ words: [String]) async -> (code: ExitCode, output: String, errors: String) {
    await run(words, composition: .current)
  }

  /// Starts the built command; its output is discarded.
  private static func start(_ command: String, _ words: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  @Test(.needs(.processFiles))
  func `Two workers of which one is killed find what one check finds`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let check = ["check", "--system", "article", "--plans", "8", "--seed", "1"]
      let campaign = "\(folder)/campaign"
      let add = try Self.start(
        command,
        ["campaign", "add", campaign, "--parts", "4", "--"] + check
      )
      add.waitUntilExit()
      #expect(add.terminationStatus == 0)
      let work = ["campaign", "work", campaign, "--jobs", "1", "--patience", "1"]
      let lost = try Self.start(command, work)
      let claims = "\(campaign)/claims"
      while lost.isRunning, try FileManager.default.contentsOfDirectory(atPath: claims).isEmpty {
        sched_yield()
      }
      kill(lost.processIdentifier, SIGKILL)
      lost.waitUntilExit()
      let worker = try Self.start(command, work)
      worker.waitUntilExit()
      #expect(worker.terminationStatus == 1)
      let status = try await self.status(campaign, by: command)
      #expect(status.done == 4 && status.plans == 8 && status.claimed.isEmpty)
      #expect(status.failures.allSatisfy { $0.isConfirmed == true })
      // The parts join to what one check finds.
      _ = await lab(["report", "merge", campaign + "/done/1", "--output", folder + "/joined"])
      _ = await lab(check + ["--output", folder + "/whole"])
      #expect(try Self.broken(folder + "/joined") == Self.broken(folder + "/whole"))
      let page = try String(contentsOfFile: campaign + "/index.html", encoding: .utf8)
      #expect(page.contains("4 of 4") && page.contains("The next counterexample is a new failure"))
      // The tile counts groups, and each failure is in one of them.
      #expect(status.groups.flatMap(\.failures).count == status.failures.count)
      #expect(page.contains("Groups of failures") && page.contains("groups of "))
      // Every part has measured its states, which one check counts to the same number.
      let states = try #require(status.growth.states)
      #expect(status.growth.points.count == 4 && status.growth.points.last?.plans == 8)
      _ = await lab(check + ["--sample-states", "--output", folder + "/states"])
      let file = URL(fileURLWithPath: folder + "/states/latest/states.json")
      let sample = try JSONDecoder().decode(StateSample.self, from: Data(contentsOf: file))
      #expect(StateEstimate(sample) == states && sample.planCount >= 1 && states.distinct > 2)
      #expect(page.contains("Counted states a second") && page.contains("growth-failures"))
      // The last row of the failures over time is a whole number.
      #expect(page.contains("<td>\(status.failures.count)</tbody>"))
    }
  }

  #if os(Linux)
  /// Whether this process may mount file systems.
  private static func canMount() async throws -> Bool {
    try await ProcessAnswer(of: "/usr/bin/unshare", ["--mount", "true"]).code == 0
  }

  @Test(.needs(.mountableFileSystem, where: canMount))
  func `A full or read-only folder is named, and its tasks are done later`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let script = """
        lab=$1 campaign=$2/campaign
        mount -t tmpfs -o size=16m tmpfs "$2" || exit 99
        "$lab" campaign add "$campaign" --parts 2 -- check --system article --plans 2 --seed 1
        cat /dev/zero >"$2/filler"
        "$lab" campaign work "$campaign" --jobs 1; echo "full: $?"
        rm "$2/filler"; mount -o remount,ro "$2"
        "$lab" campaign work "$campaign" --jobs 1; echo "read-only: $?"
        "$lab" campaign status "$campaign"; echo "status: $?"
        mount -o remount,rw "$2"
        "$lab" campaign work "$campaign" --jobs 1; echo "free: $?"
        """
      let words = ["--mount", "/bin/sh", "-c", script, "sh", command, folder]
      let said = try await ProcessAnswer(of: "/usr/bin/unshare", words).said
      #expect(
        said.contains("No space left on device. Free some space") && said.contains("full: 70")
      )
      #expect(said.contains("Read-only file system. Make it writable"), "\(said)")
      #expect(said.contains("read-only: 70") && said.contains("0 of 2 tasks done; 0 plans"))
      #expect(said.contains("status: 2") && said.contains("2 of 2 tasks done; 2 plans"))
      #expect(said.contains("free: 1"), "\(said)")
    }
  }
  #endif

  private struct Document: Decodable {
    let status: CampaignStatus
  }

  private func status(_ campaign: String, by command: String) async throws -> CampaignStatus {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = ["campaign", "status", campaign, "--json"]
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONDecoder().decode(Document.self, from: data).status
  }

  /// The invariants that the run in a folder found broken, with the numbers of the plans.
  private static func broken(_ folder: String) throws -> [String] {
    struct Check: Decodable {
      struct System: Decodable {
        struct Found: Decodable {
          let checker: String
          let foundInPlan: Int
        }
        let counterexamples: [Found]
      }
      let systems: [System]
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/latest/check.json"))
    let check = try JSONDecoder().decode(Check.self, from: data)
    let found = check.systems.flatMap(\.counterexamples).map { "\($0.checker) \($0.foundInPlan)" }
    #expect(!found.isEmpty)
    return found.sorted()
  }

  @Test func `The hash of an executable shows every changed byte and its length`() {
    let bytes = (0..<37).map { UInt8($0) }
    func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
      Array(bytes).withUnsafeBytes { CampaignProgram.hash(of: $0) }
    }
    var hashes: Set = [hash(bytes)]
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 0x80
      hashes.insert(hash(changed))
      hashes.insert(hash(bytes.prefix(place)))
    }
    #expect(hashes.count == 1 + 2 * bytes.count)
    #expect(hash("foobar".utf8) == 0x8594_4171_f739_67e8, "the test vector of draft-eastlake-fnv")
  }

  @Test(arguments: [
    (
      ["list", "systems"],
      "is not a command that a campaign can run. Use check, mutants, explore or stress."
    ),
    (["check", "--output", "x"], "--output is set by the campaign"),
    (["check", "--plan", "3"], "--plans"), (["explore", "--parts", "2"], "--parts"),
    (["check", "--sample-states"], "--sample-states is set by the campaign"),
    (["stress", "--shard", "1/2"], "--shard is set by the campaign"),
    (["explore", "--slices", "x"], "--slices is set by the campaign"),
  ])
  func `Words that are no task are refused before anything is created`(
    _ words: [String],
    _ expected: String
  ) async throws {
    try await withFolder { folder in
      let result = await lab(["campaign", "add", folder + "/c", "--"] + words)
      #expect(result.code == .usage && result.errors.contains(expected), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder + "/c"))
    }
  }

  @Test func `The parts of a check have one seed`() async throws {
    try await withFolder { folder in
      let added = await lab(["campaign", "add", folder + "/c", "--parts", "3", "--", "check"])
      #expect(added.code == .good, "\(added.errors)")
      let campaign = try CampaignFolder(opening: folder + "/c", by: .current(.current))
      let tasks = try campaign.tasks()
      #expect(tasks.map(\.words.last) == ["1/3", "2/3", "3/3"])
      #expect(
        Set(tasks.map { $0.words.dropLast(2) }).count == 1 && tasks[0].words.contains("--seed")
      )
      let status = await lab(["campaign", "status", folder + "/c"])
      #expect(status.code == .undecided && status.output.contains("0 of 3 tasks done"))
      #expect(!status.errors.contains("another program"), "\(status.errors)")
      let drained = await lab(["campaign", "drain", folder + "/c"])
      #expect(drained.code == .good && campaign.isDrained)
    }
  }

  @Test func `An exploration is divided by length and state, and joined by the last task`()
    async throws
  {
    try await withFolder { folder in
      let words = ["explore", "--system", "article", "--conditions", "ties", "--actors", "2"]
      let add = ["campaign", "add", folder + "/c", "--parts"]
      let unmerged = await lab(add + ["2", "--"] + words + ["--no-merging"])
      #expect(unmerged.code == .usage && unmerged.errors.contains("--no-merging"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/c"))
      let added = await lab(add + ["2", "--"] + words + ["--depth", "2"])
      #expect(added.code == .good && added.output.contains("Added 6 tasks as group 1"))
      // Without --parts it is one task, which needs no other.
      #expect(await lab(add + ["1", "--"] + words).code == .good)
      let campaign = try CampaignFolder(opening: folder + "/c", by: .current(.current))
      let tasks = try campaign.tasks()
      #expect(tasks.map(\.round) == [0, 1, 1, 2, 2, 3, nil])
      let own = tasks.map { $0.words.drop { $0 != "--length" }.joined(separator: " ") }
      #expect(
        own == [
          "--length 0", "--length 1 --slice 1/2", "--length 1 --slice 2/2",
          "--length 2 --slice 1/2",
          "--length 2 --slice 2/2", "", "",
        ]
      )
      let status = await lab(["campaign", "status", folder + "/c"])
      #expect(status.output.contains("none of 0 to 2") && status.output.contains("0: 0 of 1 slice"))
    }
  }

  /// The exploration that workers divide, with the counts of its states and plans.
  private static let exploration = [
    "explore", "--system", "greatest-cursor", "--conditions", "steady", "--actors", "1", "--depth",
    "1",
  ]

  @Test(.needs(.processFiles))
  func `Workers of which one is killed join what one exploration finds`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let campaign = "\(folder)/campaign"
      let added = try Self.start(
        command,
        ["campaign", "add", campaign, "--parts", "2", "--"] + Self.exploration
      )
      added.waitUntilExit()
      #expect(added.terminationStatus == 0)
      let work = ["campaign", "work", campaign, "--jobs", "1", "--patience", "1"]
      let lost = try Self.start(command, work)
      // It is killed in length 1.
      while lost.isRunning,
        try !FileManager.default.contentsOfDirectory(atPath: campaign + "/claims")
          .contains(where: { $0 == "1-0002.1.json" || $0 == "1-0003.1.json" })
      {
        sched_yield()
      }
      kill(lost.processIdentifier, SIGKILL)
      lost.waitUntilExit()
      let workers = try (0..<2).map { _ in try Self.start(command, work) }
      for worker in workers { worker.waitUntilExit() }
      let status = try await self.status(campaign, by: command)
      #expect(status.done == 4 && status.rounds.map(\.completeLength) == [1])
      let page = try String(contentsOfFile: campaign + "/index.html", encoding: .utf8)
      #expect(page.contains("Explorations") && page.contains("0 to 1 of 1"))
      let plain = await lab(Self.exploration + ["--output", folder + "/plain"])
      let code = Int32(plain.code.rawValue)
      #expect(workers.map(\.terminationStatus) == [code, code])
      let (one, all) = try (
        Self.card(folder + "/plain/latest"), Self.card(campaign + "/done/1/1-0004/latest")
      )
      #expect(one == all && one.contains { $0.contains("states") })
    }
  }

  /// The plans, states and results of each invariant in the card of a run.
  private static func card(_ run: String) throws -> [String] {
    let data = try Data(contentsOf: URL(fileURLWithPath: run + "/cards.json"))
    return try JSONDecoder().decode(CardsDocument.self, from: data).systems.flatMap(\.cells).map {
      "\($0.key): \($0.plans) plans, \($0.states) states, \($0.result) at \($0.length ?? 0)"
    }
  }

  @Test func `A stress run is divided into parts of equal time, which must not be too short`()
    async throws
  {
    try await withFolder { folder in
      let words = ["campaign", "add", folder + "/c", "--parts", "3", "--", "stress", "--seconds"]
      let short = await lab(words + ["0.2"])
      #expect(short.code == .usage && short.errors.contains("less than 0.1 s. Use fewer parts"))
      let added = await lab(words + ["6", "--seed", "5"])
      #expect(added.code == .good, "\(added.errors)")
      let campaign = try CampaignFolder(opening: folder + "/c", by: .current(.current))
      let parts = try campaign.tasks().map { task in
        try StressOptions(parse(task.words.joined(separator: " ")), in: .sample)
      }
      #expect(parts.map(\.settings.duration) == [.seconds(2), .seconds(2), .seconds(2)])
      #expect(Set(parts.map(\.settings.seed)).count == 3 && parts.allSatisfy { $0.seed == 5 })
    }
  }

  /// Returns the page of a campaign with `count` tasks, whose commands are replaced by `run`.
  private static func page(
    _ folder: String,
    count: Int,
    run: @escaping (_ number: Int, _ output: String) throws -> Void
  ) throws -> String {
    let campaign = try CampaignFolder(creating: folder + "/page", by: .current(.current))
    _ = try campaign.add((0..<count).map { ["\($0)"] })
    let worker = CampaignWorker(
      campaign,
      name: "machine-1",
      patience: .seconds(60),
      isInterrupted: { false },
      run: { words, output, _ in
        do { try run(Int(words[0]) ?? 0, output) } catch { Issue.record(error) }
        return .code(0)
      }
    )
    _ = try worker.work()
    CampaignPage().write(of: campaign)
    return try String(contentsOfFile: campaign.path + "/index.html", encoding: .utf8)
  }

  private static func write(_ text: some Encodable, to file: String) throws {
    try JSONEncoder().encode(text).write(to: URL(fileURLWithPath: file))
  }

  @Test func `The page shows growth, estimates with their errors, and the rates of workers`()
    async throws
  {
    try await withFolder { folder in
      let page = try Self.page(folder, count: 12) { number, output in
        var sample = StateSample()
        for plan in 0..<200 {
          sample.add(plan: [UInt64(number * 200 + plan) &* 0x9e37_79b9_7f4a_7c15])
        }
        let run = output + "/run"
        try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: false)
        try Self.write(sample, to: run + "/states.json")
        let check = #"{"systems":[{"plans":200,"steps":3000}]}"#
        try check.write(toFile: run + "/check.json", atomically: false, encoding: .utf8)
      }
      #expect(page.contains("different states") && page.contains(" ± 6 %"), "\(page)")
      #expect(page.contains("a new one with a probability of about 100 % (9"))
      #expect(page.contains("2,400 plans that checks have run after"))
      for id in ["growth-plans", "growth-states", "rates-plans", "rates-states"] {
        #expect(page.contains("download=\"\(id).csv\""), "\(id)")
      }
      #expect(page.contains("Failures over time: none was found."))
      #expect(page.contains("stroke=\"var(--s0)\"") && !page.contains("not measured"))
    }
  }

  @Test func `A page of commands without plans and states says that they were not measured`()
    async throws
  {
    try await withFolder { folder in
      let page = try Self.page(folder, count: 2) { _, _ in }
      #expect(page.contains("States over time: not measured; only check and explore count them."))
      #expect(page.contains("Counted states a second: not measured"))
      #expect(page.contains("Plans a second: not measured"))
      #expect(page.contains("Plans over time: not measured; only check counts them."))
      #expect(!page.contains("growth-states") && !page.contains("growth-plans"))
      #expect(!page.contains("; 0 plans") && page.contains("2 of 2"))
    }
  }

  /// Records a failure that breaks several invariants, as one task on each machine finds it.
  private static func record(
    _ key: String,
    _ invariants: [String],
    on machines: [String] = ["one"],
    in campaign: CampaignFolder
  ) throws {
    struct Seen: Encodable {
      let task: String
      let worker: String
      let failure: KnownFailure
    }
    var failure = KnownFailure(
      key: key,
      system: "tracker",
      invariant: invariants[0],
      because: "it broke",
      commandCount: 3
    )
    failure.symptoms = invariants.map {
      FailureSymptom(system: "tracker", invariant: $0, words: "it broke")
    }
    let place = "\(campaign.path)/failures/\(key)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for (number, machine) in machines.enumerated() {
      let seen = Seen(task: "1-000\(number + 1)", worker: machine + "-17-a", failure: failure)
      try write(seen, to: "\(place)/seen-\(seen.task).json")
    }
  }

  @Test func `A group names the other invariants that its failures break, as text, page and JSON`()
    async throws
  {
    struct Groups: Decodable {
      struct Group: Decodable {
        let alsoBroken: [FailureGroup.BrokenInvariant]
      }
      let groups: [Group]
    }
    try await withFolder { folder in
      let campaign = try CampaignFolder(creating: folder + "/c", by: .current(.current))
      _ = try campaign.add([["check"]])
      try Self.record("a", ["CursorProgress", "PurgeSafety"], in: campaign)
      try Self.record("b", ["CursorProgress", "PurgeSafety", "WakeUp"], in: campaign)
      try Self.record("c", ["CursorProgress"], in: campaign)
      let text = await lab(["campaign", "status", campaign.path])
      let cell = "PurgeSafety (2), WakeUp (1)"
      #expect(text.code == .violation && text.output.contains("also broken"), "\(text.errors)")
      #expect(text.output.contains(cell), "\(text.output)")
      let page = try String(contentsOfFile: campaign.path + "/index.html", encoding: .utf8)
      #expect(page.contains("also broken") && page.contains(cell))
      let json = await lab(["campaign", "status", campaign.path, "--json"])
      let groups = try JSONDecoder().decode(Groups.self, from: Data(json.output.utf8)).groups
      let others = groups.map { $0.alsoBroken.map { "\($0.invariant) \($0.failureCount)" } }
      #expect(others == [["PurgeSafety 2", "WakeUp 1"]])
    }
  }

  @Test func `A failure lists two or three machines, and the number of the others`() async throws {
    try await withFolder { folder in
      let campaign = try CampaignFolder(creating: folder + "/c", by: .current(.current))
      try Self.record("a", ["WakeUp"], on: ["red", "green", "red", "blue"], in: campaign)
      try Self.record("b", ["WakeUp"], on: ["red", "green", "blue", "white"], in: campaign)
      let status = try CampaignStatus(campaign)
      #expect(status.failures.map(\.machines.count).sorted() == [3, 4])
      let table = CampaignText(status, folder: "c", command: .plain).failures
      let machines = table.columns.firstIndex { $0.title == "machines" }
      let cells = try table.rows.map { $0.cells[try #require(machines)] }
      #expect(cells.sorted() == ["blue, green and 2 others", "blue, green, red"])
    }
  }

  /// A clock that only the test advances.
  private final class HandTime: Sendable {
    private let now = Mutex(ContinuousClock.now)

    func read() -> ContinuousClock.Instant { now.withLock(\.self) }

    func advance(by seconds: Double) { now.withLock { $0 += .seconds(seconds) } }
  }

  @Test func `One of several workers writes the page every five seconds`() async throws {
    try await withFolder { folder in
      let campaign = try CampaignFolder(creating: folder + "/c", by: .current(.current))
      let time = HandTime()
      let (one, other) = (CampaignPage(now: time.read), CampaignPage(now: time.read))
      var count = 0
      /// Adds a task, lets a worker poll, and returns whether the page shows the task.
      func shows(_ page: CampaignPage, after seconds: Double) throws -> Bool {
        count += 1
        _ = try campaign.add([["a"]])
        time.advance(by: seconds)
        page.writeIfDue(of: campaign)
        return try String(contentsOfFile: campaign.path + "/index.html", encoding: .utf8)
          .contains("0 of \(count) task")
      }
      #expect(try shows(one, after: 0))
      #expect(try !shows(one, after: 4.9))
      #expect(try shows(one, after: 0.2))
      #expect(try shows(other, after: 0), "the first page of a worker")
      #expect(try !shows(one, after: 5.1), "the other worker has written it")
      #expect(try shows(other, after: 0))
      #expect(try !shows(one, after: 5.1))
      #expect(try shows(one, after: 5.1), "the other worker has ended")
    }
  }

  @Test func `A browser loads the page again while tasks are left and not drained`() async throws {
    try await withFolder { folder in
      let refresh = "<meta http-equiv=\"refresh\" content=\"10\">"
      let open = try CampaignFolder(creating: folder + "/open", by: .current(.current))
      _ = try open.add([["a"]])
      func page() throws -> String {
        CampaignPage().write(of: open)
        return try String(contentsOfFile: open.path + "/index.html", encoding: .utf8)
      }
      #expect(try page().contains(refresh))
      try open.setDrained(true)
      #expect(try !page().contains(refresh))
      let done = try Self.page(folder, count: 1) { _, _ in }
      #expect(!done.contains("http-equiv=\"refresh\""))
    }
  }

  @Test func `A program of another build shows and drains a campaign, but does no work of it`()
    async throws
  {
    try await withFolder { folder in
      let other = CampaignProgram(lab: "another", build: "abc, release", libraries: "Swift 6")
      let campaign = try CampaignFolder(creating: folder + "/c", by: other)
      _ = try campaign.add([["check"]])
      let status = await lab(["campaign", "status", folder + "/c"])
      #expect(status.code == .undecided && status.output.contains("0 of 1 task done"))
      #expect(
        status.errors.contains("another program created this campaign: the lab: another there, "),
        "\(status.errors)"
      )
      let page = try String(contentsOfFile: folder + "/c/index.html", encoding: .utf8)
      #expect(page.contains("abc, release"), "the page names the build that is counted")
      let drained = await lab(["campaign", "drain", folder + "/c"])
      #expect(drained.code == .good && campaign.isDrained)
      for words in [["work", folder + "/c"], ["add", folder + "/c", "--", "check"]] {
        let result = await lab(["campaign"] + words)
        #expect(result.code == .usage, "\(words)")
        #expect(result.errors.contains("was created by another program"), "\(result.errors)")
      }
    }
  }

  @Test func `A folder that is not a campaign is reported`() async throws {
    try await withFolder { folder in
      for verb in ["work", "status", "drain"] {
        let result = await lab(["campaign", verb, folder])
        #expect(
          result.code == .usage && result.errors.contains("campaign.json"),
          "\(result.errors)"
        )
      }
    }
  }
}
