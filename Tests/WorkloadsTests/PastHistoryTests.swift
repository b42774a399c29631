import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing
import Traces

@testable import Workloads

@Suite struct `Plans that repeat a real history` {
  private static let mirror = "NSCloudKitMirroringDelegate.import"

  /// Thirty transactions of three authors, a mirror and nobody, of which every fifth is a tie.
  private static func records() -> [PastRecord] {
    let authors: [String?] = ["com.example.app", "widget", "com.example.app", mirror, nil, "sync"]
    return (0..<30).map { index in
      PastRecord(
        author: authors[index % authors.count],
        timestamp: Double(1_000 + 60 * (index - index / 5)),
        changes: [
          (.insert, "Note", Int64(1_000 + index)), (.update, "Folder", 77),
          (index % 7 == 6 ? .delete : .update, "Note", Int64(1_000 + index - index % 7)),
        ]
      )
    }
  }

  private static func style() throws -> PlanStyle {
    var style = PlanStyle()
    style.repeat(try PastHistory(records()), actors: nil)
    return style
  }

  private static func plan(_ seed: UInt64) throws -> Plan {
    var source = ChoiceSource(seed: seed)
    return PlanGenerator(try style()).plan(from: &source, seed: seed)
  }

  private static func writes(_ plan: Plan) -> [PlannedWrite] {
    plan.commands.compactMap { if case .write(let write) = $0.action { write } else { nil } }
  }

  @Test func `Authors become actors, a mirror is protected, and the others only write`() throws {
    let header = try Self.plan(1).header
    #expect(header.actors.map(\.author) == ["com.example.app", "sync", "widget"])
    #expect(header.protectedAuthors == ["NSCloudKitMirroringDelegate.*"])
    #expect(header.model.entities.map(\.name) == ["Note", "Folder"])
  }

  @Test(.property(cases: 200, seed: 1))
  func `Every command is legal at its turn, and no write is drawn`() async throws {
    try await property(.plans(try Self.style())) { plan in
      var rules = PlanRules(plan.header)
      for (index, command) in plan.commands.enumerated() {
        let objection = rules.objection(to: command.action)
        #expect(objection == nil, "command \(index), \(command.action.word)")
      }
      #expect(!plan.commands.contains { ["batch", "begin", "commit"].contains($0.action.word) })
      #expect(Self.writes(plan).count <= PlanStyle.pastCountMax + 1)
    }
  }

  @Test(.property(cases: 100, seed: 1))
  func `Objects of a window exist before they are changed, and gaps are those of the file`()
    async throws
  {
    var gaps: Set<Double> = []
    try await property(.plans(try Self.style())) { plan in
      var live: Set<ObjectName> = []
      for change in Self.writes(plan).flatMap(\.changes) {
        #expect(change.type == .insert || live.contains(change.object) || change.type == .update)
        if change.type == .delete { live.remove(change.object) } else { live.insert(change.object) }
      }
      for command in plan.commands {
        if case .clock(let advance) = command.action { gaps.insert(advance) }
      }
    }
    #expect(gaps.isSuperset(of: [60, 120]))
  }

  @Test func `Shrinking leaves real transactions out`() throws {
    let generator = PlanGenerator(try Self.style())
    var source = ChoiceSource(seed: 5)
    _ = generator.plan(from: &source, seed: 5)
    var shrinker = Shrinker(budget: Budget(evaluations: 2_000))
    shrinker.isThorough = true
    let result = shrinker.shrink(source.sequence, label: "sync") { _ in
    } _: { source in
      let plan = generator.plan(from: &source, seed: 5)
      let isByMirror = Self.writes(plan).contains { $0.author == .other(Self.mirror) }
      return isByMirror ? .failed(label: "sync", message: "") : .passed
    }
    var replayed = ChoiceSource(replaying: result.sequence)
    let writes = Self.writes(generator.plan(from: &replayed, seed: 5))
    #expect(writes.count <= 2)
    #expect(writes.last?.author == .other(Self.mirror))
  }

  @Test func `Names are replaced if they are to be anonymous`() throws {
    let history = try PastHistory(Self.records(), isAnonymous: true)
    #expect(history.authors == (1...4).map { "author\($0)" })
    #expect(history.model.entities.map(\.name) == ["Entity1", "Entity2"])
    #expect(history.transactions.count == 30)
    #expect(history.transactions[0].gap == 0)
  }

  @Test func `An entity that no store accepts is refused`() {
    let record = PastRecord(author: "a", timestamp: 1, changes: [(.insert, "not a name", 1)])
    #expect(throws: ModelError.self) { try PastHistory([record]) }
  }
}
