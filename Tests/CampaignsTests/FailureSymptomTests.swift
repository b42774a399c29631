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

  @Test
  func `A failure is its group's example if it has the shortest plan for the shared invariant`() {
    func failure(_ key: String, _ invariant: String, _ commandCount: Int) -> KnownFailure {
      KnownFailure(
        key: key,
        system: "tracker",
        invariant: invariant,
        because: "",
        commandCount: commandCount,
        isConfirmed: nil
      )
    }
    let failures = [
      failure("a", "Convergence", 5), failure("b", "WakeUp", 1), failure("c", "Convergence", 3),
    ]
    #expect(FailureGroup(symptom: Self.symptom("view"), failures: failures).example.key == "c")
    #expect(FailureGroup(symptom: nil, failures: failures).example.key == "b")
  }

  @Test func `Failures that older versions recorded get the symptoms of their counterexamples`()
    throws
  {
    let home = try TemporaryFolder()
    let path = home.url.appending(path: "campaign").path
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
