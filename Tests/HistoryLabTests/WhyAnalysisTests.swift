import HistoryTypes
import LabFixtures
import Testing
import Traces
import Workloads

@testable import HistoryLab

/// The analysis of `why` on toy closures in place of a system.
@Suite struct `The analysis of a counterexample` {
  private static let app: ActorID = "app"
  private static let widget: ActorID = "widget"

  private static func insert(_ key: Int64, by actor: ActorID) -> Command {
    let change = PlannedChange(.insert, ObjectName("Item", key), ["title": "a", "count": 3])
    return Command(.write(PlannedWrite(actor: actor, changes: [change])))
  }

  /// The app writes and purges, and the widget has not passed in between.
  private static func plan() throws -> Plan {
    let item = Entity("Item", [Attribute("title", .string), Attribute("count", .int)])
    let header = PlanHeader(
      model: try Model([item]),
      actors: [PlannedActor(app, author: "app"), PlannedActor(widget, author: "widget")]
    )
    return Plan(
      header: header,
      commands: [insert(1, by: app), Command(.clock(advance: 5)), Command(.purge(app))]
    )
  }

  /// Returns whether an actor purges a transaction that no other actor has passed.
  ///
  /// Only a write that sets `count` to another number than 0 counts.
  private static func breaks(_ plan: Plan) -> Bool {
    var writers: Set<ActorID> = []
    for command in plan.commands {
      switch command.action {
      case .write(let write):
        let counts = write.changes.map { $0.values["count"] ?? .null }
        if counts.contains(where: { $0 != .null && $0 != 0 }) { writers.insert(write.actor) }
      case .pass(let actor): writers = writers.filter { $0 == actor }
      case .purge(let actor): if writers.contains(actor) { return true }
      default: break
      }
    }
    return false
  }

  // MARK: Intervals and curves

  @Test(arguments: [
    (0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (1, 100, 0.0018, 0.0545),
    (1_000, 1_000, 0.9962, 1.0),
  ])
  func `Wilson's interval has the published bounds`(
    _ count: Int,
    _ total: Int,
    _ lower: Double,
    _ upper: Double
  ) {
    let interval = ShareInterval(count: count, total: total)
    #expect(abs(interval.lower - lower) < 0.000_05, "\(interval.lower)")
    #expect(abs(interval.upper - upper) < 0.000_05, "\(interval.upper)")
  }

  @Test func `The steepest rise and the point of no return are found`() {
    // After 0, 1, 2 and 3 commands 10, 30, 100 and 100 of 100 continuations break the invariant.
    let shares = [10, 30, 100, 100]
    let curve = ViolationCurve.measured(commands: 3, numbers: Array(1...100)) { kept, number in
      number <= shares[kept]
    }
    #expect(curve.points.map(\.count) == shares)
    #expect(curve.points.allSatisfy { $0.total == 100 })
    #expect(curve.steepestRise?.command == 2)
    #expect(curve.steepestRise?.before.share == 0.3 && curve.steepestRise?.after.share == 1)
    #expect(curve.steepestRise?.isClear == true)
    #expect(curve.pointOfNoReturn == 2)
  }

  @Test
  func `The command that breaks most of what still held is named, and the last of equal ones`() {
    func named(_ shares: [Int]) -> Int? {
      ViolationCurve.measured(commands: shares.count - 1, numbers: Array(1...1_000)) {
        kept,
        number in
        number <= shares[kept]
      }.steepestRise?.command
    }
    // A launch after a stop: nearly every continuation launches, but only the launch makes it certain.
    #expect(named([212, 346, 873, 1_000]) == 3)
    // Of 0.22 and 0.219 of the way, chance does not tell which is more.
    #expect(named([502, 612, 697]) == 2)
    #expect(named([132, 164, 211, 377, 407]) == 3)
  }

  @Test func `A flat curve has no rise, and an open one no point of no return`() {
    let flat = ViolationCurve.measured(commands: 2, numbers: [1, 2]) { _, number in number == 1 }
    #expect(flat.steepestRise == nil && flat.pointOfNoReturn == nil)
    // All continuations break after command 1, but one of those after command 2 does not.
    let late = ViolationCurve.measured(commands: 3, numbers: [1, 2]) { kept, number in
      kept == 1 || kept == 3 || number == 1
    }
    #expect(late.pointOfNoReturn == 3)
    let doomed = ViolationCurve.measured(commands: 1, numbers: [1]) { _, _ in true }
    #expect(doomed.pointOfNoReturn == 0)
  }

  @Test func `After the command that breaks the invariant no continuation is run`() {
    var kept: [Int] = []
    let curve = ViolationCurve.measured(commands: 3, broken: 2, numbers: [1, 2]) { place, number in
      kept.append(place)
      return number == 1
    }
    #expect(kept == [0, 1, 0, 1])
    #expect(curve.points.map(\.count) == [1, 1, 2, 2] && curve.broken == 2)
    #expect(curve.points.allSatisfy { $0.total == 2 } && curve.pointOfNoReturn == 2)
    var sum = ViolationCurve(commands: 3)
    sum.add(curve)
    #expect(sum == curve)
  }

  @Test func `A rise within the intervals is not clear`() {
    let shares = [40, 45]
    let curve = ViolationCurve.measured(commands: 1, numbers: Array(1...100)) { kept, number in
      number <= shares[kept]
    }
    #expect(curve.steepestRise?.command == 1 && curve.steepestRise?.isClear == false)
  }

  @Test func `Curves of different workers add up to the whole curve`() {
    func curve(_ numbers: [Int]) -> ViolationCurve {
      .measured(commands: 2, numbers: numbers) { kept, number in (number + kept) % 3 == 0 }
    }
    var sum = curve([1, 4, 7])
    sum.add(curve([2, 3, 5, 6]))
    #expect(sum == curve(Array(1...7)))
  }

  @Test func `A continuation keeps the commands so far and comes from its seed`() throws {
    let plan = try Self.plan()
    func recipe(_ seed: UInt64) -> ContinuationRecipe {
      ContinuationRecipe(plan: plan, generator: PlanGenerator(), seed: seed)
    }
    for kept in 0...3 {
      for number in 1...20 {
        let continued = recipe(1).plan(keeping: kept, number: number)
        #expect(continued.header == plan.header)
        #expect(continued.commands.prefix(kept) == plan.commands.prefix(kept))
        #expect(continued == recipe(1).plan(keeping: kept, number: number))
      }
    }
    func drawn(_ seed: UInt64, _ kept: Int) -> [[Command]] {
      (1...20).map { Array(recipe(seed).plan(keeping: kept, number: $0).commands.dropFirst(kept)) }
    }
    #expect(Set(drawn(1, 2)).count > 15)
    #expect(drawn(1, 2) != drawn(2, 2) && drawn(1, 2) != drawn(1, 3))
  }

  @Test func `Fewer continuations run when their plans are long`() {
    #expect(WhyRun.continuations(trialEvents: 1) == 1_000)
    #expect(WhyRun.continuations(trialEvents: 60_000) == 100)
    #expect(WhyRun.continuations(trialEvents: 400_000_000) == 20)
  }

  // MARK: Parts

  private static func answers() throws -> [PartAnswer] {
    try PlanPart.all(of: plan()).map { $0.answer(breaks: breaks) }
  }

  private static func words(
    _ kind: PlanPart.Kind,
    _ name: String,
    _ command: Int? = nil
  ) throws
    -> String?
  {
    try answers().first { $0.kind == kind && $0.name == name && $0.command == command }?.words
  }

  @Test func `Commands are needed or may be left out`() throws {
    #expect(try Self.words(.command, "write", 1) == "needed")
    #expect(try Self.words(.command, "clock", 2) == "may be left out")
    #expect(try Self.words(.command, "purge", 3) == "needed")
    #expect(try Self.words(.order, "write", 1) == "either order")
    #expect(try Self.words(.clock, "5.0 s", 2) == "any advance")
  }

  @Test func `The order of two neighbours is named where it matters`() throws {
    var plan = try Self.plan()
    plan.commands.remove(at: 1)
    let order = PlanPart.all(of: plan).first { $0.kind == .order }
    let answer = order?.answer(breaks: Self.breaks)
    #expect(answer?.words == "must come before command 2")
  }

  @Test func `Values are free, limited or needed`() throws {
    #expect(try Self.words(.value, "Item/1 title: \"a\"", 1) == "any value")
    let count = try Self.answers().first { $0.name == "Item/1 count: 3" }
    #expect(count?.breaking == ["1", "1000"])
    #expect(count?.holding == ["0", "null", "left out"])
    #expect(count?.words == "any value but 0, null or left out")
    let exact = PlanPart.all(of: try Self.plan()).first { $0.name == "Item/1 count: 3" }
    #expect(exact?.answer { _ in false }.words == "needed")
  }

  @Test func `Actors are free, or must be others than those that hold`() throws {
    #expect(try Self.words(.actor, "app", 1) == "must be another actor than widget")
    #expect(try Self.words(.role, "app") == "any actor")
    #expect(try Self.words(.member, "widget") == "may be left out")
    #expect(try Self.words(.member, "app") == "needed")
    var plan = try Self.plan()
    plan.header.actors.append(PlannedActor("share", author: "share"))
    let purger = PlanPart.all(of: plan).first { $0.kind == .actor && $0.command == 3 }
    #expect(purger?.answer(breaks: Self.breaks).words == "must be app")
    let notWidget = purger?.answer { !$0.commands.contains(Command(.purge(Self.widget))) }
    #expect(notWidget?.words == "must be another actor than widget")
  }

  @Test func `Objects are replaced in all commands`() throws {
    #expect(try Self.words(.object, "Item/1") == "any object")
    let part = try #require(PlanPart.all(of: Self.plan()).first { $0.kind == .object })
    #expect(part.alternatives.map(\.name) == ["Item/2"])
    #expect(part.alternatives[0].plan.commands[0] == Self.insert(2, by: Self.app))
    #expect(part.answer { _ in false }.words == "must be Item/1")
  }

  @Test func `Authors and contexts name those that break the invariant too`() throws {
    var plan = try Self.plan()
    let change = PlannedChange(.insert, ObjectName("Item", 1), ["count": 3])
    let write = PlannedWrite(
      actor: Self.app,
      context: "background",
      author: .other("sync"),
      changes: [change]
    )
    plan.commands[0] = Command(.write(write))
    let parts = PlanPart.all(of: plan)
    let author = try #require(parts.first { $0.kind == .author })
    #expect(author.alternatives.map(\.name) == ["that of app", "none", "app", "widget"])
    #expect(author.answer(breaks: Self.breaks).words == "may be that of app, none, app or widget")
    let context = try #require(parts.first { $0.kind == .context })
    #expect(context.answer(breaks: Self.breaks).words == "may be view")
    #expect(context.answer { _ in false }.words == "needed")
  }

  // MARK: Nearest plans

  @Test func `The nearest plan moves the fewest places, then adds, then leaves out`() throws {
    let plan = try Self.plan()
    let found = NearestPlans(plan: plan).all { !Self.breaks($0) }
    #expect(
      found.map(\.kind) == [.moved(from: 2, to: 0), .added(at: 2), .leftOut(2)]
    )
    #expect(found[1].plan.commands[2] == Command(.pass(Self.widget)))
    #expect(found[0].plan.commands.first == Command(.purge(Self.app)))
    #expect(found[2].plan.commands.count == 2)
    #expect(NearestPlans(plan: plan).all { _ in false }.isEmpty)
  }

  @Test func `Edited commands stand beside the originals`() throws {
    func rows(_ kind: PlanEdit.Kind) throws -> [[Int?]] {
      PlanEdit(kind: kind, plan: try Self.plan()).rows(of: 3).map { [$0.original, $0.edited] }
    }
    #expect(try rows(.leftOut(1)) == [[0, 0], [1, nil], [2, 1]])
    #expect(try rows(.added(at: 3)) == [[0, 0], [1, 1], [2, 2], [nil, 3]])
    #expect(try rows(.moved(from: 2, to: 0)) == [[nil, 0], [0, 1], [1, 2], [2, nil]])
    #expect(try rows(.moved(from: 0, to: 1)) == [[0, nil], [1, 0], [nil, 1], [2, 2]])
  }
}
