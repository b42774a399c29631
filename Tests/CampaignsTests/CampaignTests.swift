import Foundation
import HistoryTypes
import TestSupport
import Testing
import Traces

@testable import Campaigns

@Suite(.blocksItsThread) struct `A campaign` {
  private let home: TemporaryFolder
  private var path: String { home.url.appending(path: "campaign").path }

  init() throws { home = try TemporaryFolder() }

  private func made(_ words: [[String]]) throws -> CampaignFolder {
    let campaign = try CampaignFolder(creating: path, by: .sample)
    _ = try campaign.add(words)
    return campaign
  }

  /// Writes what a check of two plans writes.
  private static func check(_ output: String) {
    let run = output + "/run"
    let text = #"{"systems":[{"plans":2,"steps":30}]}"#
    try? FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: run + "/check.json", contents: Data(text.utf8))
  }

  @Test func `A worker does every task once`() throws {
    let campaign = try made([["a"], ["b"], ["c"]])
    #expect(try campaign.add([["d"]]) == 2)
    var seen: [[String]] = []
    let worker = campaign.worker("w") { (words, output, isWanted) throws(CampaignError) in
      #expect(isWanted())
      seen.append(words)
      Self.check(output)
      return .code(0)
    }
    #expect(try worker.work() == 4)
    #expect(Set(seen) == [["a"], ["b"], ["c"], ["d"]] && seen.count == 4)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "valid" && status.done == 4 && status.left == 0)
    #expect(status.plans == 8 && status.steps == 120)
    #expect(status.resultsByWorker == ["w": 4] && status.claimed.isEmpty)
    #expect(try worker.work() == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/work").isEmpty)
  }

  @Test func `Two workers share the tasks`() throws {
    let campaign = try made((1...6).map { ["\($0)"] })
    var (first, second): ([String], [String]) = ([], [])
    let other = CampaignWorker(
      campaign,
      name: "two",
      patience: .seconds(3600),
      isInterrupted: { second.count == 5 },
      run: { words, _, _ in
        second += words
        return .code(0)
      }
    )
    var isBusy = false
    let one = campaign.worker("one", patience: .seconds(3600)) {
      (words, output, _) throws(CampaignError) in
      first += words
      // The other works while this task is claimed, and leaves it alone.
      if !isBusy {
        isBusy = true
        _ = try other.work()
      }
      return .code(0)
    }
    #expect(try one.work() == 1)
    #expect(first.count == 1 && second.count == 5 && Set(first + second).count == 6)
    #expect(try CampaignStatus(campaign).resultsByWorker == ["one": 1, "two": 5])
  }

  @Test func `A task whose worker is lost is done by another, and counts once`() throws {
    let campaign = try made([["a"]])
    let late = campaign.worker("late", patience: .milliseconds(1)) {
      (_, output, isWanted) throws(CampaignError) in
      // While this one is not scheduled, another takes the task over and ends first.
      let other = CampaignWorker(
        campaign,
        name: "other",
        patience: .milliseconds(1),
        isInterrupted: { false }
      ) { (_, output, _) throws(CampaignError) in
        Self.check(output)
        return .code(0)
      }
      let count = try other.work()
      #expect(count == 1)
      Self.check(output)
      return .code(0)
    }
    #expect(try late.work() == 0)
    let status = try CampaignStatus(campaign)
    #expect(status.done == 1 && status.plans == 2 && status.resultsByWorker == ["other": 1])
  }

  @Test func `A worker notices that its task was taken over`() throws {
    let campaign = try made([["a"]])
    var isSuperseded = false
    let late = campaign.worker("late", patience: .milliseconds(80)) {
      (_, _, isWanted) throws(CampaignError) in
      let task = try campaign.tasks()[0]
      #expect(isWanted())
      let held = try TaskClaim.newest(in: campaign)[task.name]
      let taken = try TaskClaim(task, after: held, by: "other", in: campaign)
      #expect(taken != nil)
      let limit = ContinuousClock.now + .seconds(60)
      while isWanted(), ContinuousClock.now < limit { sched_yield() }
      isSuperseded = true
      try campaign.setDrained(true)
      return .unwanted
    }
    #expect(try late.work() == 0)
    #expect(isSuperseded)
    let claimed = try CampaignStatus(campaign).claimed
    #expect(claimed.map(\.worker) == ["other"] && claimed.map(\.claim) == [2])
  }

  @Test func `A task that fails three times is given up with its reason`() throws {
    let campaign = try made([["a"], ["b"]])
    var tries = 0
    let worker = campaign.worker("w") { words, output, _ in
      guard words == ["a"] else { return .code(0) }
      tries += 1
      let errors = Data("a line of progress\nhistory-lab: no such system\n".utf8)
      _ = FileManager.default.createFile(atPath: output + "/errors.txt", contents: errors)
      return .code(70)
    }
    _ = try worker.work()
    #expect(tries == 3)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "unknown" && status.left == 0)
    let reason = "its command ended with code 70: history-lab: no such system"
    #expect(status.givenUp.map(\.because) == [reason])
  }

  /// Writes a check with the states of one plan, as `--sample-states` does.
  private static func check(_ output: String, states: Set<UInt64>) {
    check(output)
    var sample = StateSample()
    sample.add(plan: states)
    do {
      try JSONEncoder().encode(sample).write(to: URL(fileURLWithPath: output + "/run/states.json"))
    } catch { Issue.record(error) }
  }

  @Test func `States that several tasks reached count once, and are read once`() throws {
    let campaign = try made([["a"], ["b"], ["c"]])
    let worker = campaign.worker("w") { words, output, _ in
      switch words {
      case ["a"]: Self.check(output, states: [1, 2, 3])
      case ["b"]: Self.check(output, states: [3, 4])
      default: Self.check(output)
      }
      return .code(0)
    }
    _ = try worker.work()
    var cache = ResultCache()
    let states = try #require(try CampaignStatus(campaign, &cache).growth.states)
    #expect(states.distinct == 4 && states.distinctError == 0 && states.newShare == 0.6)
    // A result never changes, so it is not read again.
    try FileManager.default.removeItem(atPath: path + "/done/1/1-0001/run/states.json")
    #expect(try CampaignStatus(campaign, &cache).growth.states?.distinct == 4)
    #expect(try CampaignStatus(campaign).growth.states?.distinct == 2)
  }

  @Test func `The time of a worker that is lost is part of the campaign's time`() throws {
    let campaign = try made([["a"], ["b"]])
    let task = try campaign.tasks()[0]
    var claim = try #require(try TaskClaim(task, after: nil, by: "lost", at: 40, in: campaign))
    #expect(try claim.beat(at: 50))
    let worker = campaign.worker("w", patience: .milliseconds(1)) { _, _, _ in .code(0) }
    #expect(try worker.work() == 2)
    let points = try CampaignStatus(campaign).growth.points
    #expect(points.count == 2 && points.allSatisfy { (50..<110).contains($0.seconds) })
  }

  @Test func `Files of a version without times and states are counted, but have no points`() throws
  {
    let campaign = try made([["a"], ["b"]])
    let worker = campaign.worker("w") { _, output, _ in
      Self.check(output, states: [1])
      return .code(0)
    }
    _ = try worker.work()
    let file = path + "/done/1/1-0001/result.json"
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
        as? [String: Any]
    )
    let old = fields.filter { !["at", "states"].contains($0.key) }
    #expect(old.count == fields.count - 2)
    try JSONSerialization.data(withJSONObject: old).write(to: URL(fileURLWithPath: file))
    let status = try CampaignStatus(campaign)
    #expect(status.plans == 4 && status.growth.untimedCount == 1)
    #expect(status.growth.points.map(\.plans) == [2])
  }

  @Test func `Workers that vanish do not count as failures of a task`() throws {
    let campaign = try made([["a"]])
    let task = try campaign.tasks()[0]
    // Nineteen workers were taken away, two of which had seen the command fail.
    for number in 1...19 {
      var claim = try #require(
        try TaskClaim(
          task,
          after: TaskClaim.newest(in: campaign)[task.name],
          by: "lost-\(number)",
          in: campaign
        )
      )
      if number == 4 || number == 9 { try claim.fail(because: "its command ended with code 70") }
    }
    #expect(try TaskClaim.newest(in: campaign)[task.name]?.failureCount == 2)
    let worker = campaign.worker("w", patience: .milliseconds(1)) { _, _, _ in .code(0) }
    #expect(try worker.work() == 1)
    #expect(try CampaignStatus(campaign).verdict == "valid")
  }

  @Test func `Clocks that differ by an hour change nothing`() throws {
    let campaign = try made([["a"], ["b"], ["c"]])
    var (first, second): ([String], [String]) = ([], [])
    /// Moves the times of all files, as if another machine had written them.
    func shift(by seconds: Double) throws {
      let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
      for file in files {
        let date = Date(timeIntervalSinceNow: seconds)
        try FileManager.default.setAttributes(
          [.modificationDate: date],
          ofItemAtPath: "\(path)/\(file)"
        )
      }
    }
    var looks = 0
    let other = campaign.worker(
      "two",
      isInterrupted: {
        looks += 1
        return looks > 40 || (first.count, second.count) == (1, 1)
      },
      run: { words, _, _ in
        second += words
        return .code(0)
      }
    )
    let one = campaign.worker("one") { (words, _, isWanted) throws(CampaignError) in
      first += words
      // The other finds a claim of the next hour or of an hour ago, and leaves it alone.
      do { try shift(by: first.count == 1 ? 3_600 : -3_600) } catch { Issue.record(error) }
      looks = 0
      let count = try other.work()
      #expect(count == (first.count == 1 ? 1 : 0))
      #expect(isWanted())
      return .code(0)
    }
    #expect(try one.work() == 2)
    #expect(first.count == 2 && second.count == 1)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "valid" && status.resultsByWorker == ["one": 2, "two": 1])
  }

  @Test func `A task that ends every worker is given up in the end`() throws {
    let campaign = try made([["a"]])
    let task = try campaign.tasks()[0]
    for number in 1...CampaignWorker.claimCountMax {
      _ = try TaskClaim(
        task,
        after: TaskClaim.newest(in: campaign)[task.name],
        by: "lost-\(number)",
        in: campaign
      )
    }
    let worker = campaign.worker("w", patience: .milliseconds(1)) { _, _, _ in .code(0) }
    #expect(try worker.work() == 0)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "unknown")
    #expect(status.givenUp.map(\.because) == ["its workers vanished 20 times"])
  }

  @Test(arguments: [(Int32(1), "invalid"), (2, "unknown"), (0, "valid")])
  func `A command's exit code decides the verdict even without a counterexample`(
    code: Int32,
    verdict: String
  ) throws {
    let campaign = try made([["a"], ["b"]])
    let worker = campaign.worker("w") { words, output, _ in
      Self.check(output)
      return .code(words == ["a"] ? code : 0)
    }
    #expect(try worker.work() == 2)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == verdict && status.left == 0 && status.failures.isEmpty)
    #expect((status.estimate.failingShareMax == nil) == (code == 1) && status.plans == 4)
    #expect(status.found.map(\.task) == (code == 1 ? ["1-0001"] : []))
    #expect(status.undecided.map(\.task) == (code == 2 ? ["1-0001"] : []))
  }

  @Test func `A drained campaign gives out no task until it is opened again`() throws {
    let campaign = try made([["a"]])
    try campaign.setDrained(true)
    let worker = campaign.worker("w") { _, _, _ in .code(0) }
    #expect(try worker.work() == 0)
    #expect(try CampaignStatus(campaign).isDrained)
    try campaign.setDrained(false)
    #expect(try worker.work() == 1)
  }

  @Test func `Equal failures of several tasks are one failure, which is confirmed`() throws {
    let campaign = try made([["a"], ["b"], ["c"]])
    var replays = 0
    let worker = campaign.worker("w") { (words, output, _) throws(CampaignError) in
      if words[0] == "replay" {
        replays += 1
        return .code(1)
      }
      let actors = words == ["a"] ? ["app", "widget"] : ["share", "sync"]
      let key: Int64 = words == ["a"] ? 1 : 7
      let text = try Self.counterexample(
        actors,
        key,
        checker: words == ["c"] ? "Convergence" : "PurgeSafety"
      )
      let files = [
        "check.json": #"{"systems":[{"system":"tracker","plans":9,"steps":90,"#
          + #""invariants":[{"invariant":"PurgeSafety","invalid":4}],"#
          + #""counterexamples":[{"file":"counterexample-x.jsonl","foundInPlan":\#(key)}]}]}"#,
        "counterexample-x.jsonl": text,
      ]
      for (name, text) in files {
        let data = Data(text.utf8)
        _ = FileManager.default.createFile(atPath: output + "/" + name, contents: data)
      }
      return .code(1)
    }
    #expect(try worker.work() == 3)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "invalid")
    #expect(status.failures.map(\.tasks) == [["1-0001", "1-0002"], ["1-0003"]])
    #expect(status.failures.map(\.isConfirmed) == [true, true] && replays == 2)
    #expect(status.failures[0].system == "tracker" && status.failures[0].invariant == "PurgeSafety")
    #expect(status.failures.map(\.planCount) == [8, 1])
    #expect(status.failures[0].plans.map(\.plan) == [1, 7])
    #expect(status.failures[0].plans.map(\.seed) == [1, 7] && status.failures[0].workers == ["w"])
    let file = path + "/" + status.failures[0].path
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `Only a replay with an answer decides whether a failure was seen again`() throws {
    let campaign = try made([["a"], ["b"], ["c"]])
    var (codes, confirmed): ([CommandExit], [Bool?]) = ([.unwanted, .code(70), .code(0)], [])
    let worker = campaign.worker("w") { (words, output, _) throws(CampaignError) in
      if words[0] == "replay" { return codes.removeFirst() }
      confirmed += try campaign.failures().map(\.isConfirmed)
      let text = try Self.counterexample(["app", "widget"], 1, checker: "PurgeSafety")
      _ = FileManager.default.createFile(
        atPath: output + "/counterexample-x.jsonl",
        contents: Data(text.utf8)
      )
      return .code(1)
    }
    #expect(try worker.work() == 3)
    // Before the second task, before the third, and at the end.
    #expect(try confirmed + campaign.failures().map(\.isConfirmed) == [nil, nil, false])
    #expect(codes.isEmpty)
  }

  private static func counterexample(
    _ actors: [String],
    _ key: Int64,
    checker: String
  ) throws(CampaignError) -> String {
    let attribute = Attribute("title", .string)
    let model = Model(unchecked: [Entity("Item", [attribute])])
    var header = PlanHeader(
      model: model,
      actors: actors.map { PlannedActor(ActorID($0), author: $0) }
    )
    header.seed = UInt64(key)
    let change = PlannedChange(.insert, ObjectName("Item", key), ["title": .string("a")])
    let write = PlannedWrite(actor: ActorID(actors[1]), changes: [change])
    let plan = Plan(
      header: header,
      commands: [Command(.write(write)), Command(.purge(ActorID(actors[0])))]
    )
    let trace = Trace(
      header: TraceHeader(plan: plan, system: "tracker"),
      events: [Event(at: 0, tick: 1, actor: ActorID(actors[0]), .stopped)]
    )
    let violation = Violation(checker: checker, at: 0, because: "it broke", transaction: nil)
    return CounterexampleCodec.encode(Counterexample(trace: trace, violation: violation))
  }

  @Test func `A folder with other contents is refused, and so is another program`() throws {
    #expect(throws: CampaignError.self) { try CampaignFolder(opening: path, by: .sample) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: path + "/notes", contents: nil)
    do throws(CampaignError) {
      _ = try CampaignFolder(creating: path, by: .sample)
      Issue.record("a folder with other contents was accepted")
    } catch {
      #expect(
        error.description == "\"\(path)\" is neither empty nor a campaign. Name a new folder."
      )
    }
    try FileManager.default.removeItem(atPath: path)
    _ = try made([["a"]])
    let other = CampaignProgram(lab: "2", build: "abc, release", libraries: "Swift 6")
    do throws(CampaignError) {
      _ = try CampaignFolder(opening: path, by: other)
      Issue.record("another program takes part")
    } catch {
      #expect(error.description.contains("the lab: 1 there, 2 here"), "\(error)")
    }
  }

  @Test func `Any program may look at a campaign, unless the format is newer`() throws {
    _ = try made([["a"]])
    let campaign = try CampaignFolder(opening: path)
    #expect(try campaign.program == .sample && campaign.tasks().count == 1)
    let file = URL(fileURLWithPath: path + "/campaign.json")
    let record = try String(contentsOf: file, encoding: .utf8)
    let newer = record.replacing("\"campaign\":2", with: "\"campaign\":99")
    #expect(newer != record)
    try Data(newer.utf8).write(to: file)
    do throws(CampaignError) {
      _ = try CampaignFolder(opening: path)
      Issue.record("a newer format was accepted")
    } catch {
      #expect(error.description.contains("has version 99 of the format"), "\(error)")
    }
  }

  @Test(arguments: ["", "/result.json"])
  func `A task with a damaged result is done again after the folder or the file was removed`(
    _ removed: String
  ) throws {
    let campaign = try made([["a"], ["b"]])
    let worker = campaign.worker("w", patience: .milliseconds(1)) { _, output, _ in
      Self.check(output)
      return .code(0)
    }
    #expect(try worker.work() == 2)
    let place = path + "/done/1/1-0002"
    try Data().write(to: URL(fileURLWithPath: place + "/result.json"))
    _ = FileManager.default.createFile(atPath: place + "/former", contents: nil)
    do throws(CampaignError) {
      _ = try CampaignStatus(campaign)
      Issue.record("a damaged result was read")
    } catch {
      let advice = "Remove the folder \"\(place)\"; a worker then does its task again."
      #expect(error.description.hasSuffix(advice), "\(error)")
    }
    try FileManager.default.removeItem(atPath: place + removed)
    #expect(try CampaignStatus(campaign).done == 1)
    #expect(try worker.work() == 1)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "valid" && status.done == 2 && status.plans == 4)
    #expect(!FileManager.default.fileExists(atPath: place + "/former"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/work").isEmpty)
  }

  @Test(arguments: [CommandExit.unwanted, .code(2), .code(143)])
  func `An interrupted worker releases its task at once, and this counts as no failure`(
    exit: CommandExit
  ) throws {
    let campaign = try made([["a"]])
    var (polls, isInterrupted) = (0, false)
    func worker(_ name: String, _ run: @escaping CampaignWorker.Run) -> CampaignWorker {
      (polls, isInterrupted) = (0, false)
      return campaign.worker(
        name,
        patience: .seconds(3_600),
        isInterrupted: {
          polls += 1
          return isInterrupted || polls > 40
        },
        run: run
      )
    }
    // More often than workers may vanish.
    let count = CampaignWorker.claimCountMax + 1
    for number in 1...count {
      let interrupted = worker("w-\(number)") { _, _, _ in
        isInterrupted = true
        return exit
      }
      #expect(try interrupted.work() == 0)
    }
    let newest = try TaskClaim.newest(in: campaign)["1-0001"]
    #expect(newest?.number == count && newest?.failureCount == 0)
    #expect(try CampaignStatus(campaign).claimed.isEmpty)
    #expect(try worker("last") { _, _, _ in .code(0) }.work() == 1)
    #expect(try CampaignStatus(campaign).verdict == "valid")
  }

  @Test func `The error for a damaged file contains its path`() throws {
    let campaign = try made([["a"]])
    _ = FileManager.default.createFile(
      atPath: path + "/tasks/1-0001.json",
      contents: Data("{".utf8)
    )
    do throws(CampaignError) {
      _ = try campaign.tasks()
      Issue.record("a damaged task was read")
    } catch {
      #expect(
        error.description.contains("tasks/1-0001.json") && error.description.contains("damaged")
      )
    }
  }
}
