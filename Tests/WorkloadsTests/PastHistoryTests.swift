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
        number: Int64(index + 1),
        author: authors[index % authors.count],
        timestamp: Double(1_000 + 60 * (index - index / 5)),
        changes: [
          .init(.insert, "Note", Int64(1_000 + index)), .init(.update, "Folder", 77),
          .init(index % 7 == 6 ? .delete : .update, "Note", Int64(1_000 + index - index % 7)),
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
      #expect(Self.writes(plan).count <= PlanStyle.pastCountMax)
    }
  }

  @Test(.property(cases: 100, seed: 1))
  func `Objects of a window exist before they are changed, and gaps are those of the file`()
    async throws
  {
    var gaps: Set<Double> = []
    try await property(.plans(try Self.style())) { plan in
      var live = Set(plan.header.objects.keys)
      for change in Self.writes(plan).flatMap(\.changes) {
        #expect(change.type == .insert || live.contains(change.object))
        if change.type == .delete { live.remove(change.object) } else { live.insert(change.object) }
      }
      for command in plan.commands {
        if case .clock(let advance) = command.action { gaps.insert(advance) }
      }
    }
    #expect(gaps.isSuperset(of: [60, 120]))
  }

  @Test(.property(cases: 100, seed: 1))
  func `Each write names its transaction, and only changed objects are from before`() async throws {
    let records = Self.records()
    try await property(.plans(try Self.style())) { plan in
      var first: [ObjectName: ChangeType] = [:]
      var last: Int64 = 0
      for write in Self.writes(plan) {
        let number = try #require(write.fileTransaction)
        #expect(number > last)
        last = number
        let types = records[Int(number) - 1].changes.map(\.type)
        #expect(Array(types.prefix(write.changes.count)) == write.changes.map(\.type))
        for change in write.changes where first[change.object] == nil {
          first[change.object] = change.type
        }
      }
      #expect(Set(plan.header.objects.keys) == Set(first.filter { $0.value != .insert }.keys))
      let opening = plan.header.openingWrite
      #expect(opening?.changes.count ?? 0 == plan.header.objects.count)
      #expect(opening.map { $0.actor == plan.header.actors[0].id } ?? true)
    }
  }

  @Test func `A window begins with a transaction, and older objects are in its header`() throws {
    var alphabet = PlanAlphabet(.steady, actors: 2, actions: Set(PlanAction.allCases))
    alphabet.repeatWindows(of: try PastHistory(Self.records()), count: 3, commands: 4)
    let numbers = alphabet.windowPlans.map { Self.writes($0).map(\.fileTransaction) }
    #expect(numbers == [[1, 2, 3, 4], [14, 15, 16, 17], [27, 28, 29, 30]])
    for plan in alphabet.windowPlans {
      #expect(plan.commands.count == 4)
      #expect(plan.header.objects.keys.contains(ObjectName("Folder", 1)))
    }
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
    let plan = generator.plan(from: &replayed, seed: 5)
    let writes = Self.writes(plan)
    #expect(writes.map(\.author) == [.other(Self.mirror)])
    // The mirror wrote the fourth transaction of each six.
    #expect(writes.map { ($0.fileTransaction ?? 0) % 6 } == [4])
    #expect(plan.header.objects.keys.allSatisfy(writes.flatMap(\.changes).map(\.object).contains))
  }

  @Test func `Names are replaced if they are to be anonymous`() throws {
    let history = try PastHistory(Self.records(), isAnonymous: true)
    #expect(history.authors == (1...4).map { "author\($0)" })
    #expect(history.model.entities.map(\.name) == ["Entity1", "Entity2"])
    #expect(history.transactions.count == 30)
    #expect(history.transactions[0].gap == 0)
  }

  @Test func `An entity that no store accepts is refused`() {
    let record = PastRecord(author: "a", timestamp: 1, changes: [.init(.insert, "not a name", 1)])
    #expect(throws: ModelError.self) { try PastHistory([record]) }
  }

  @Test func `Known values replace the numbered ones of a change`() throws {
    let known = try #require(PastValues([.null, .string("Milk"), .string("later"), .int(3)]))
    let records = (1...2).map { time in
      PastRecord(
        author: "app",
        timestamp: Double(time),
        changes: [.init(.update, "Note", 9, time == 2 ? known : nil)]
      )
    }
    var writes = PastWrites(try PastHistory(records))
    let values = try PastHistory(records).transactions.map { writes.next($0.changes)[0].values }
    #expect(values == [["title": "t1", "count": 1], ["title": "Milk", "count": 3]])
  }

  @Test func `Values without a text or number are unknown`() {
    #expect(PastValues([.null, .double(1.5), .string("")]) == nil)
    #expect(PastValues([.int(4)])?.text == nil)
  }

  @Test func `Hashes hide values and keep their equality`() throws {
    let key = SipKey(1, 2)
    let (milk, bread) = (PastValues([.string("Milk"), .int(3)]), PastValues([.string("Bread")]))
    let hashed = try #require(milk?.hashed(by: key))
    #expect(hashed == milk?.hashed(by: key) && hashed != milk?.hashed(by: SipKey(1, 3)))
    #expect(hashed.text != bread?.hashed(by: key).text && hashed.text?.contains("Milk") == false)
    #expect(hashed.number != 3 && bread?.hashed(by: key).number == nil)
  }

  /// The vectors of the reference implementation, of the bytes 0, 1, 2 and so on.
  @Test(arguments: [(0, 0x726f_db47_dd0e_0e31), (15, 0xa129_ca61_49be_45e5)] as [(UInt8, UInt64)])
  func `The hash function is SipHash-2-4`(_ count: UInt8, _ expected: UInt64) {
    let key = SipKey(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    #expect(key.hash(Array(0..<count)) == expected)
  }
}
