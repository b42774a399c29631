import Foundation
import PropertyTesting
import Synchronization
import Testing

@testable import FirstBug
@testable import HistoryTesting

/// Runs a body, and returns the issues that it records, as text.
func issues(_ body: @escaping @Sendable () async throws -> Void) async throws -> [String] {
  let test = try #require(Test.current)
  let found = Mutex<[String]>([])
  let trait: IssueHandlingTrait = .compactMapIssues { issue in
    found.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
    return nil
  }
  try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  return found.withLock { $0 }
}

@Suite struct CheckHistoryTests {
  @Test func `The first bug is found, shrunk to three commands and drawn`() async throws {
    let report = Mutex<HistoryReport?>(nil)
    let issues = try await issues {
      let found = try await checkHistory(of: MyLog.self, plans: 30)
      report.withLock { $0 = found }
    }
    let found = try #require(report.withLock { $0 })
    let first = try #require(found.failure)
    #expect(issues.count == 1 && issues[0].contains("Also broken, usually by the same bug: "))
    #expect(first.checker == "PurgeSafety" && first.commandCount == 3, "\(first.text)")
    #expect(issues[0].contains("MyLog violates PurgeSafety in 3 commands"), "\(issues[0])")
    #expect(issues[0].contains("swift test --filter 'The first bug is found"), "\(issues[0])")
    #expect(first.html.contains("<svg role=\"img\""))
    let row = try #require(found.invariants.first { $0.name == "PurgeSafety" })
    #expect(row.brokenCount > 0 && row.heldCount > 0 && found.planCount == 30)
  }

  @Test func `The first bug's fix holds`() async throws {
    let report = try await checkHistory(of: FixedLog.self, plans: 100)
    #expect(report.failure == nil && report.planCount == 100)
  }

  @Test func `A tracker with all capabilities holds under all conditions`() async throws {
    let report = try await checkHistory(
      of: PlainTracker.self,
      plans: 60,
      under: [.ties, .clockBack, .clockJump, .pause, .crash, .restart, .lateJoin, .sameAuthorTwice]
    )
    let exercised = report.invariants.filter { $0.heldCount > 0 }.map(\.name)
    #expect(exercised.contains("Convergence") && exercised.contains("Reclaim"))
    #expect(exercised.contains("HistoryExplainsData"), "\(exercised)")
    #expect(report.uncontrolledJobCount == 0)
  }

  @Test func `Each bug of a real system is found`() async throws {
    for mistake in PlainTracker.Mistake.allCases {
      let issues = try await issues {
        try await checkHistory(of: { PlainTracker($0, mistake) }, plans: 30)
      }
      #expect(issues.contains { $0.contains(mistake.checker) }, "\(mistake): \(issues)")
    }
  }

  @Test func `The same seed gives the same results, and one plan repeats a violation`() async throws
  {
    func failures(_ plan: Int?) async throws -> [String] {
      try await issues {
        let settings = HistorySettings(plans: 30, seed: 7, plan: plan)
        let check = try HistoryCheck(Subject(log: MyLog.self), nil, [], settings, #filePath)
        _ = try await check.run(#_sourceLocation)
      }
    }
    let found = try await failures(nil)
    #expect(try await failures(nil) == found)
    func table(_ issues: [String]) -> String? {
      issues.first?.components(separatedBy: "\nReplay:").first
    }
    let plan = try #require(found[0].firstMatch(of: /HISTORY_PLAN=(\d+)/)?.output.1)
    let alone = try await failures(Int(plan))
    #expect(alone.first?.components(separatedBy: "\nReplay:").first == table(found))
  }

  @Test func `A custom invariant is checked, and its result has its description`() async throws {
    let issues = try await issues {
      try await checkHistory(of: FixedLog.self, plans: 50, checking: [OneAtATime.self])
    }
    #expect(issues.count == 1)
    #expect(issues[0].contains("FixedLog violates OneAtATime"), "\(issues)")
    #expect(issues[0].contains("Verifies: a pass merges at most one transaction."))
    #expect(issues[0].contains("Does not verify: what the transaction contains."))
  }

  @Test func `A custom condition changes every plan`() async throws {
    let report = try await checkHistory(
      of: FixedLog.self,
      plans: 50,
      under: [.own(OnlySaves())],
      checking: [NoPass.self]
    )
    #expect(report.failure == nil)
    #expect(report.invariants.last?.heldCount == 50)
  }

  @Test func `A condition that writes an unknown entity is an error with the known ones`() async {
    let error = await #expect(throws: HistorySettingsError.self) {
      try await checkHistory(of: FixedLog.self, plans: 5, under: [.own(Misspelt())])
    }
    let text = error?.description ?? ""
    #expect(text.contains("the condition \"misspelt\" makes an invalid plan"), "\(text)")
    #expect(text.contains("no entity \"Itme\". Did you mean \"Item\"?"), "\(text)")
  }

  @Test func `A nondeterministic system is reported`() async throws {
    // Every second run of a plan differs from the one before.
    let count = Atomic(0)
    let issues = try await issues {
      try await checkHistory(
        of: { environment in
          let run = count.wrappingAdd(1, ordering: .relaxed).newValue
          return PlainTracker(environment, run.isMultiple(of: 2) ? .fetchesNothing : .none)
        },
        plans: 20
      )
    }
    #expect(issues.contains { $0.contains("gives different results") }, "\(issues)")
  }

  @Test func `A system whose methods all throw makes the check vacuous`() async throws {
    let issues = try await issues {
      try await checkHistory(of: { PlainTracker($0, .throwing) }, plans: 20)
    }
    #expect(issues.contains { $0.contains("vacuous") || $0.contains("failed") }, "\(issues)")
  }

  @Test func `A condition that needs a missing capability is refused`() async throws {
    await #expect {
      try await checkHistory(of: Silent.self, under: [.ties])
    } throws: { error in
      "\(error)".contains("does not conform to ClockedSystem")
    }
  }

  @Test func `A system has a folder for its files that is removed afterwards`() async throws {
    let folders = Mutex<Set<String>>([])
    try await checkHistory(
      of: { environment in
        let folder = try environment.folder()
        folders.withLock { _ = $0.insert(folder.path) }
        try "x".write(to: folder.appending(path: "a"), atomically: true, encoding: .utf8)
        return PlainTracker(environment)
      },
      plans: 5
    )
    let used = folders.withLock { $0 }
    #expect(used.count >= 5)
    for folder in used {
      let parent = URL(filePath: folder).deletingLastPathComponent().path
      #expect(!FileManager.default.fileExists(atPath: parent))
    }
  }

  @Test func `A time limit ends a check`() async throws {
    let report = try await checkHistory(of: FixedLog.self, time: .milliseconds(50))
    #expect(report.planCount > 0 && report.planCount < 1_000_000)
  }
}

/// Fails as soon as a member merges two transactions at once.
private struct OneAtATime: HistoryChecker {
  static let verifies = "a pass merges at most one transaction"
  static let doesNotVerify = "what the transaction contains"
  var verdict = HistoryVerdict.undecided("No member merged.")

  init(_ plan: HistoryPlan) {}

  mutating func observe(_ event: HistoryEvent) {
    guard case .merged(let names) = event.kind, let member = event.member else { return }
    verdict = names.count > 1 ? .broken("\(member) merged \(names.count) at once") : .holds
  }
}

/// Replaces the commands of a plan by saves.
private struct OnlySaves: PlanCondition {
  let name = "only-saves"

  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource) {
    let count = source.int(in: 1...5)
    plan.commands = (0..<count).map { number in
      let object = ObjectName("Item", Int64(number))
      return .save([PlannedChange(.insert, object, ["count": 1])], by: plan.members[0])
    }
  }
}

/// Writes an entity that no plan has.
private struct Misspelt: PlanCondition {
  let name = "misspelt"

  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource) {
    let object = ObjectName("Itme", 1)
    plan.commands.append(.save([PlannedChange(.insert, object, [:])], by: plan.members[0]))
  }
}

/// Holds if the plan has no commands except saves.
private struct NoPass: HistoryChecker {
  static let verifies = "all commands are saves"
  static let doesNotVerify = "what they save"
  let verdict: HistoryVerdict

  init(_ plan: HistoryPlan) {
    verdict = plan.commands.allSatisfy { $0.word == "write" } ? .holds : .broken("another command")
  }

  mutating func observe(_ event: HistoryEvent) {}
}

/// A system with the required methods only.
private actor Silent: HistorySystem {
  init(_ environment: HistoryEnvironment) {}
  func launch(_ member: ActorID) {}
  func stop(_ member: ActorID) {}
  func save(_ changes: [PlannedChange], by member: ActorID, author: String?) -> String? { nil }
  func pass(_ member: ActorID) -> PassOutcome { PassOutcome(merged: []) }
  func cursor(of member: ActorID) -> String? { nil }
  func view(of member: ActorID) -> Objects { [:] }
  func data() -> Objects { [:] }
}
