import Foundation
import HistoryTypes
import TestSupport
import Testing
import Traces

@testable import Campaigns

@Suite(.blocksItsThread) struct `Symptoms of failures` {
  /// Returns a trace of one event, in which no checker finds a violation.
  private static func trace(
    of actors: [String],
    system: String = "tracker",
    _ kind: EventKind = .stopped
  ) -> Trace {
    let model = Model(unchecked: [Entity("Item", [Attribute("title", .string)])])
    let header = PlanHeader(
      model: model,
      actors: actors.map { PlannedActor(ActorID($0), author: $0) }
    )
    let plan = Plan(header: header, commands: [Command(.purge(ActorID(actors[0])))])
    return Trace(
      header: TraceHeader(plan: plan, system: system),
      events: [Event(at: 0, tick: 1, actor: ActorID(actors[0]), kind)]
    )
  }

  private static func symptoms(_ because: String, in trace: Trace) -> [FailureSymptom] {
    let violation = Violation(checker: "Convergence", at: 0, because: because, transaction: nil)
    return FailureSymptom.all(of: trace, breaking: violation)
  }

  @Test func `A symptom contains no names and no numbers`() {
    let one = Self.symptoms(
      "app's view lacks Item/1, which the store has",
      in: Self.trace(of: ["app"])
    )
    let other = Self.symptoms(
      "sync's view lacks Tag/7, which the store has (share last wrote it in #3)",
      in: Self.trace(of: ["share", "sync"])
    )
    #expect(one == other)
    #expect(one.map(\.invariant) == ["Convergence"] && one.map(\.words) == ["view lacks"])
    let numbered = Self.symptoms("app wrote #12, a second transaction", in: Self.trace(of: ["app"]))
    #expect(numbered.map(\.words) == ["wrote #"])
    // The same sentence about another system is another symptom.
    let elsewhere = Self.trace(of: ["app"], system: "article")
    #expect(Self.symptoms("app's view lacks Item/1", in: elsewhere) != one)
  }

  @Test func `The symptom of a wrong answer consists of words of the wrong line`() {
    let answer = QueryAnswer(head: nil, now: 0, lines: [])
    let trace = Self.trace(of: ["app"], .answered(answer))
    let because = #"the answer to app's query has "5 transactions were converted, not 8""#
    let words = Self.symptoms(because, in: trace).filter { $0.invariant == "Convergence" }.map(
      \.words
    )
    #expect(words == ["an answer: # transactions were converted"])
  }

  // MARK: Groups

  private static func symptom(_ words: String) -> FailureSymptom {
    FailureSymptom(system: "tracker", invariant: "Convergence", words: words)
  }

  @Test func `Few symptoms explain all failures, the most frequent first`() {
    let (view, write, read) = (Self.symptom("view"), Self.symptom("write"), Self.symptom("read"))
    let groups = FailureSymptom.groups([
      [read], [view, write], [], [write], [view, write], [view],
    ])
    // Both of two symptoms are as frequent; the first by name is taken.
    #expect(groups.map(\.shared) == [view, read, write, nil])
    #expect(groups.map(\.members) == [[1, 4, 5], [0], [3], [2]])
  }

  private static func failure(
    _ key: String,
    _ invariant: String,
    _ commandCount: Int = 1,
    also others: [String] = []
  ) -> KnownFailure {
    var failure = KnownFailure(
      key: key,
      system: "tracker",
      invariant: invariant,
      because: "",
      commandCount: commandCount,
      isConfirmed: nil
    )
    failure.symptoms = ([invariant] + others).map {
      FailureSymptom(system: "tracker", invariant: $0, words: "view")
    }
    return failure
  }

  @Test
  func `A failure is its group's example if it has the shortest plan for the shared invariant`() {
    let failures = [
      Self.failure("a", "Convergence", 5), Self.failure("b", "WakeUp", 1),
      Self.failure("c", "Convergence", 3),
    ]
    #expect(FailureGroup(symptom: Self.symptom("view"), failures: failures).example.key == "c")
    #expect(FailureGroup(symptom: nil, failures: failures).example.key == "b")
  }

  @Test func `A group names every other invariant that its failures break, with their number`() {
    var old = Self.failure("d", "LoudExpiry")
    old.symptoms = nil
    let failures = [
      Self.failure("a", "Convergence", also: ["PurgeSafety", "WakeUp"]),
      Self.failure("b", "PurgeSafety", also: ["Convergence"]),
      Self.failure("c", "Convergence", also: ["Durability"]), old,
    ]
    let group = FailureGroup(symptom: Self.symptom("view"), failures: failures)
    #expect(group.invariant == "Convergence")
    let others = group.alsoBroken.map { "\($0.invariant) \($0.failureCount)" }
    #expect(others == ["PurgeSafety 2", "Durability 1", "LoudExpiry 1", "WakeUp 1"])
    let alone = FailureGroup(symptom: nil, failures: [old])
    #expect(alone.invariant == "LoudExpiry" && alone.alsoBroken.isEmpty)
  }

  // MARK: Older versions

  /// Returns a campaign with two failures of one symptom each.
  private static func campaign(at path: String) throws -> CampaignFolder {
    let campaign = try CampaignFolder(creating: path, by: .sample)
    _ = try campaign.add([["a"], ["b"]])
    let worker = campaign.worker("w") { (words, output, _) throws(CampaignError) in
      guard words[0] != "replay" else { return .code(1) }
      // The plans differ in the system, so they are two failures.
      let trace = Self.trace(of: ["app"], system: "system-\(words[0])")
      let violation = Violation(checker: "Convergence", at: 0, because: "app's view lacks Item/1")
      let text = CounterexampleCodec.encode(Counterexample(trace: trace, violation: violation))
      _ = FileManager.default.createFile(
        atPath: output + "/counterexample-x.jsonl",
        contents: Data(text.utf8)
      )
      return .code(1)
    }
    #expect(try worker.work() == 2)
    return campaign
  }

  @Test func `Failures that older versions recorded get the symptoms of their counterexamples`()
    throws
  {
    let home = try TemporaryFolder()
    let path = home.url.appending(path: "campaign").path
    let campaign = try Self.campaign(at: path)
    let status = try CampaignStatus(campaign)
    #expect(status.failures.count == 2 && status.failures.allSatisfy { $0.symptoms?.count == 1 })
    #expect(status.groups.map(\.failures.count) == [1, 1])

    let places = status.failures.map { "\(path)/failures/\($0.key)" }
    for place in places { try Self.removeSymptoms(in: place) }
    #expect(try CampaignStatus(campaign).failures == status.failures)

    try FileManager.default.removeItem(atPath: places[0] + "/counterexample.jsonl")
    let unknown = try CampaignStatus(campaign)
    #expect(unknown.failures.map(\.symptoms) == [nil, status.failures[1].symptoms])
    #expect(unknown.groups.map(\.symptom) == [status.failures[1].symptoms?.first, nil])
  }

  @Test func `The symptoms of an older version's failures are found once for each build`() throws {
    let home = try TemporaryFolder()
    let path = home.url.appending(path: "campaign").path
    let campaign = try Self.campaign(at: path)
    let failures = try campaign.failures()
    for failure in failures { try Self.removeSymptoms(in: "\(path)/failures/\(failure.key)") }
    let recorded = try Self.contents(of: path + "/failures")
    #expect(try CampaignFolder(opening: path).failures() == failures)
    #expect(try Self.contents(of: path + "/progress").isEmpty, "the build is unknown")
    #expect(try campaign.failures() == failures)
    let kept = try Self.contents(of: path + "/progress")
    #expect(kept.count == 2 && kept.keys.allSatisfy { $0.hasPrefix("symptoms-") })
    #expect(try Self.contents(of: path + "/failures") == recorded)
    // Other words in the files show that the same build reads them, and another one does not.
    for (name, text) in kept {
      let other = String(decoding: text, as: UTF8.self).replacing("view lacks", with: "as kept")
      try Data(other.utf8).write(to: URL(fileURLWithPath: "\(path)/progress/\(name)"))
    }
    let words = try campaign.failures().map { $0.symptoms?.first?.words }
    #expect(words == ["as kept", "as kept"])
    let newer = CampaignProgram(lab: "2", build: "abc, release", libraries: "Swift 6")
    #expect(try CampaignFolder(opening: path, reader: newer).failures() == failures)
    #expect(try Self.contents(of: path + "/progress").count == 4)
  }

  @Test(arguments: [true, false])
  func `Kept symptoms that are damaged or cannot be written are found again`(
    isDamaged: Bool
  ) throws {
    let home = try TemporaryFolder()
    let path = home.url.appending(path: "campaign").path
    let campaign = try Self.campaign(at: path)
    let failures = try campaign.failures()
    for failure in failures { try Self.removeSymptoms(in: "\(path)/failures/\(failure.key)") }
    #expect(try campaign.failures() == failures)
    let kept = try Self.contents(of: path + "/progress")
    if isDamaged {
      for name in kept.keys {
        try Data("[".utf8).write(to: URL(fileURLWithPath: "\(path)/progress/\(name)"))
      }
    } else {
      try FileManager.default.removeItem(atPath: path + "/progress")
      _ = FileManager.default.createFile(atPath: path + "/progress", contents: nil)
    }
    #expect(try campaign.failures() == failures)
    if isDamaged { #expect(try Self.contents(of: path + "/progress") == kept) }
  }

  /// Returns the files below a folder, by their relative paths; a missing folder is empty.
  private static func contents(of folder: String) throws -> [String: Data] {
    guard FileManager.default.fileExists(atPath: folder) else { return [:] }
    var contents: [String: Data] = [:]
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      contents[file] = FileManager.default.contents(atPath: "\(folder)/\(file)")
    }
    return contents
  }

  /// Removes the symptoms from what the tasks wrote about a failure, as older versions wrote it.
  private static func removeSymptoms(in folder: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasPrefix("seen-") {
      let file = URL(fileURLWithPath: folder + "/" + name)
      let content = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
      var seen = try #require(content as? [String: Any])
      var failure = try #require(seen["failure"] as? [String: Any])
      #expect(failure.removeValue(forKey: "symptoms") != nil)
      seen["failure"] = failure
      try JSONSerialization.data(withJSONObject: seen).write(to: file)
    }
  }
}
