import Foundation
import HistoryTesting
import PropertyTesting
import Testing

/// An invariant of one's own: a member merges only what has been saved, and at most 100 transactions at once.
struct MergesWhatWasSaved: HistoryChecker {
  static let name = "MergesWhatWasSaved"
  static let verifies = "a member merges saved transactions only, at most 100 in a pass"
  static let doesNotVerify = "what the transactions contain"
  private(set) var verdict = HistoryVerdict.undecided("No member merged anything.")
  private var saved: Set<TransactionName> = []

  init(_ plan: HistoryPlan) {}

  mutating func observe(_ event: HistoryEvent) {
    let kind: HistoryEvent.Kind = event.kind
    switch kind {
    case .saved(let transaction):
      saved.insert(transaction.name)
    case .merged(let names) where !names.isEmpty:
      let member = event.member?.name ?? "nobody"
      if let unknown = names.first(where: { !saved.contains($0) }) {
        verdict = .broken("\(member) merged \(unknown), which nobody saved", losing: unknown)
      } else if names.count > 100 {
        verdict = .broken("\(member) merged \(names.count) at once")
      } else if case .undecided = verdict {
        verdict = .holds
      }
    case .started, .ended, .launched, .left, .fetched, .merged, .recorded, .purged, .view, .data,
      .other:
      break
    }
  }
}

/// A condition of one's own: after the drawn commands, the last member is away for a week.
struct AWeekAway: PlanCondition {
  let name = "a-week-away"

  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource) {
    guard let app = plan.members.first, let widget = plan.members.last, app != widget else {
      return
    }
    plan.commands.removeAll { $0.word == "purge" && $0.member == widget }
    let item = ObjectName("Item", 4_711)
    let days: [HistoryCommand] = [
      .launch(app), .launch(widget), .stop(widget), .wait(.seconds(7 * 86_400)),
      .save([PlannedChange(.insert, item, ["title": .string("New")])], by: app),
      .pass(app), .purge(app), .crash(app), .launch(app), .launch(widget), .pass(widget),
    ]
    plan.commands += days
  }
}

/// A workload of one's own: one member imports items, and the others make passes in between.
struct Imports: PlanCondition {
  let name = "imports"
  private let sizes = Generator<Int>.ints(in: 1...4).array(count: 1...6, element: "import")

  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource) {
    guard let importer = plan.members.first, let sizes = try? source.draw(sizes) else { return }
    plan.commands = plan.members.map { .launch($0) }
    var key: Int64 = 0
    for size in sizes {
      let items = (0..<size).map {
        PlannedChange(.insert, ObjectName("Item", key + Int64($0)), [:])
      }
      key += Int64(size)
      plan.commands.append(.save(items, by: importer))
      for member in plan.members where source.bool() { plan.commands.append(.pass(member)) }
    }
  }
}

/// A design with a purge that waits for the slowest member.
struct Log: HistoryLog {
  private(set) var held: [LoggedTransaction] = []
  private var cursors: [ActorID: Int] = [:]

  mutating func join(_ actor: ActorID, head: Int) { cursors[actor] = head }

  mutating func leave(_ actor: ActorID) { cursors[actor] = nil }

  mutating func append(_ transaction: LoggedTransaction) { held.append(transaction) }

  func cursor(of actor: ActorID) -> Int { cursors[actor] ?? 0 }

  func news(for actor: ActorID) -> [LoggedTransaction] {
    held.filter {
      $0.number > cursor(of: actor) && $0.writer != actor && !$0.commit.changes.isEmpty
    }
  }

  mutating func record(_ actor: ActorID, through number: Int) { cursors[actor] = number }

  mutating func purge() -> [LoggedTransaction] {
    let bound = cursors.values.min() ?? 0
    defer { held.removeAll { $0.number <= bound } }
    return held.filter { $0.number <= bound }
  }
}

@Suite(.history(seed: 7, time: .seconds(60))) struct EveryDeclarationTests {
  @Test(.history(plans: 40, corpus: "Counterexamples"))
  func `Our tracker loses nothing`() async throws {
    let report = try await checkHistory(
      of: EveryCapability.self,
      under: [
        .steady, .ties, .clockBack, .clockJump, .pause, .crash, .restart, .lateJoin,
        .sameAuthorTwice, .absentAuthor, .own(AWeekAway()),
      ],
      checking: [MergesWhatWasSaved.self]
    )
    #expect(report.planCount == 40 && report.failure == nil && report.uncontrolledJobCount == 0)
    for invariant: HistoryReport.Invariant in report.invariants {
      #expect(invariant.brokenCount == 0, "\(invariant.name) held in \(invariant.heldCount) plans")
    }
    #expect(report.invariants.contains { $0.name == "MergesWhatWasSaved" && $0.heldCount > 0 })
  }

  @Test func `Imports are merged by every member`() async throws {
    let report = try await checkHistory(
      of: EveryCapability.self,
      plans: 40,
      under: [.own(Imports())]
    )
    #expect(report.invariants.contains { $0.name == "Convergence" && $0.heldCount > 0 })
  }

  @Test func `A broken tracker is reported`() async throws {
    var report: HistoryReport?
    let conditions: [HistoryCondition] = [.restart, .own(AWeekAway())]
    await withKnownIssue {
      report = try await checkHistory(
        of: { try EveryCapability($0, purgesEarly: true) },
        plans: 60,
        under: conditions,
        corpus: "Counterexamples"
      )
    }
    let failure: HistoryFailure = try #require(report?.failure)
    #expect(failure.checker == "PurgeSafety", "\(failure.text)")
  }

  @Test(arguments: try counterexamples(in: "Counterexamples"))
  func `Saved counterexamples hold`(_ saved: SavedCounterexample) async throws {
    try await replayHistory(saved, on: EveryCapability.self)
    #expect(saved.testDescription.hasSuffix(".jsonl"))
  }

  @Test func `The design's card gets no worse`() async throws {
    let card: SafetyCard = try await exploreHistory(of: Log.self, under: [.restart], depth: 4)
    for cell: SafetyCard.Cell in card.cells where cell.result == SafetyCard.Result.breaks {
      let length = cell.commandCount ?? 0
      Issue.record("\(cell.invariant) breaks in \(length) commands under \(cell.condition)")
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Log.card.json")
    let committed = try JSONDecoder().decode(SafetyCard.self, from: Data(contentsOf: file))
    #expect(card.regressions(since: committed) == [], "\(card.description)")
  }

  @Test func `Plans notice each of our mutants`() async throws {
    let score: MutantScore = try await mutantScore(
      of: ["purges early": { @Sendable in try EveryCapability($0, purgesEarly: true) }],
      plans: 60,
      under: [.restart]
    )
    #expect(score.survivors.isEmpty, "\(score.description)")
  }

  @Test func `A setting out of range is an error`() async {
    let error = await #expect(throws: HistorySettingsError.self) {
      try await exploreHistory(of: Log.self, members: 9)
    }
    #expect(error?.description.contains("members is 9; give 1 to 4") == true)
  }

  @Test func `The changes of a save are reduced to their net effect`() {
    let note = ObjectName("Note", 1)
    var rows: Objects = [note: ["title": .string("Old"), "stars": .int(1)]]
    let changes = [
      PlannedChange(.update, note, ["title": .string("New")]),
      PlannedChange(.insert, ObjectName("Note", 2), ["stars": .int(3)]),
    ]
    let net: [CommittedChange] = changes.apply(to: &rows)
    #expect(net.map(\.type) == [.update, .insert] && net[0].columns == ["title"])
    #expect(net[1].object.description == "Note/2" && net[1].values == ["stars": .int(3)])
    let expected: Values = ["title": .string("New"), "stars": .int(1)]
    #expect(rows[note] == expected && changes[0].type == .update && changes[0].object == note)
    #expect(changes[0].values["title"] == .string("New") && note < ObjectName("Note", 2))
    #expect(note.entity == "Note" && note.key == 1)
  }

  @Test func `A delete can report the values that it preserved`() {
    let delete = CommittedChange(
      .delete,
      ObjectName("Note", 1),
      tombstone: ["title": .string("Gone")]
    )
    let transaction = CommittedTransaction(
      name: "7",
      author: "app",
      timestamp: 86_400,
      changes: [delete]
    )
    #expect(transaction.author == "app" && transaction.timestamp == 86_400)
    #expect(transaction.changes.first?.tombstone == ["title": .string("Gone")])
  }

  @Test func `A pass reports what it merged and purged`() {
    var report = PassOutcome(merged: ["1", "2"])
    report.purged = ["1"]
    #expect(report == PassOutcome(merged: ["1", "2"], purged: ["1"]))
  }
}
