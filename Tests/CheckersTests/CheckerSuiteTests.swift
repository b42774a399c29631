import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct CheckerSuiteTests {
  @Test func `The suite gives the same verdicts as each checker alone`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.write("share", "2")
    story.merge("app", "2", "1")
    story.record("app", "2")
    story.purge("share", "1", "2")
    story.close()
    let verdicts = CheckerSuite(checking: story.trace, scope: .all).verdicts
    #expect(verdicts.map(\.checker) == CheckerSuite.names(in: .all))
    #expect(
      verdicts.map(\.verdict) == [
        story.verdict(Convergence.self), story.verdict(PurgeSafety.self),
        story.verdict(NoLostTransaction.self), story.verdict(MergeOrder.self),
        story.verdict(CursorProgress.self), story.verdict(ObserverDelivery.self),
        story.verdict(LoudExpiry.self), story.verdict(ProtectedAuthors.self),
        story.verdict(HistoryExplainsData.self), story.verdict(TombstoneFidelity.self),
        story.verdict(Reclaim.self), story.verdict(Durability.self),
        story.verdict(WakeUp.self), story.verdict(NoLockWhileSuspended.self),
        story.verdict(LiveQueries.self),
      ]
    )
  }

  @Test func `The core checkers come first and run alone by default`() throws {
    let story = try Story("app")
    let core = CheckerSuite(checking: story.trace).verdicts.map(\.checker)
    #expect(core == CheckerSuite.names)
    #expect(CheckerSuite.names(in: .all).starts(with: core))
    #expect(CheckerSuite.names(in: .all).count == 15)
  }

  @Test func `Each checker states its invariant in one sentence`() {
    let all = CheckerSuite.sentences(in: .all)
    #expect(all.map(\.checker) == CheckerSuite.names(in: .all))
    #expect(Set(all.map(\.sentence)).count == all.count)
    #expect(all.allSatisfy { $0.sentence.hasSuffix(".") })
  }

  @Test func `Violations of optional checkers count only when all checkers are requested`() throws {
    var story = try Story("app")
    story.header.protectedAuthors = ["import"]
    story.write("app", "1", author: "import")
    story.purge("app", "1")
    #expect(!CheckerSuite(checking: story.trace).isInvalid)
    let suite = CheckerSuite(checking: story.trace, scope: .all)
    #expect(suite.isInvalid)
    #expect(suite.violation?.checker == "ProtectedAuthors")
  }

  @Test func `The suite stops at the first violation and names it`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.record("app", "1")
    story.purge("share", "1")
    var suite = CheckerSuite(story.trace.header)
    var steps = 0
    for event in story.events where !suite.isInvalid {
      suite.observe(event)
      steps += 1
    }
    #expect(steps < story.events.count)
    #expect(suite.violation?.checker == "CursorProgress")
    #expect(suite.violation?.at == steps - 1)
  }

  @Test func `The suite reports the earliest violation`() throws {
    var story = try Story("app", "share")
    story.write("share", "1")
    story.purge("share", "1")
    story.record("app", "1")
    #expect(CheckerSuite(checking: story.trace).violation?.checker == "PurgeSafety")
  }

  @Test func `A trace with too many members is undecided`() throws {
    var story = try Story("app")
    for index in 0..<70 { story.register(ActorID("a\(index)")) }
    story.write("app", "1")
    story.purge("app", "1")
    let suite = CheckerSuite(checking: story.trace)
    #expect(!suite.isInvalid)
    #expect(suite.verdicts.allSatisfy { $0.verdict.isUnknown })
  }

  @Test func `A correct system passes every checker`() throws {
    for seed in 0..<200 {
      let trace = try ToySystem.trace(seed: UInt64(seed), stepCount: 50)
      let violation = CheckerSuite(checking: trace, scope: .all).violation
      #expect(violation == nil, "seed \(seed): \(violation.map(\.because) ?? "")")
    }
  }

  @Test func `Many plans are long enough for every checker to decide`() throws {
    var decided: [String: Int] = [:]
    for seed in 0..<100 {
      let trace = try ToySystem.trace(seed: UInt64(seed), stepCount: 50)
      for answer in CheckerSuite(checking: trace, scope: .all).verdicts
      where answer.verdict == .valid {
        decided[answer.checker, default: 0] += 1
      }
    }
    for name in CheckerSuite.names(in: .all)
    where ![
      LoudExpiry.name, Durability.name, WakeUp.name, NoLockWhileSuspended.name, LiveQueries.name,
    ]
    .contains(name) {
      #expect((decided[name] ?? 0) > 25, "\(name)")
    }
  }

  @Test(arguments: ToySystem.Bug.allCases)
  func `A system that breaks a rule fails the checker of that rule`(
    _ bug: ToySystem.Bug
  ) throws {
    var found: Set<String> = []
    for seed in 0..<40 {
      let trace = try ToySystem.trace(seed: UInt64(seed), stepCount: 50, bug: bug)
      for answer in CheckerSuite(checking: trace, scope: .all).verdicts
      where answer.verdict.violation != nil {
        found.insert(answer.checker)
      }
    }
    #expect(found.contains(bug.checker), "found by \(found.sorted())")
  }
}
