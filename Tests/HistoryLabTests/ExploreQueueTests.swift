import LabFixtures
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import HistoryLab

@Suite struct `Exploration tasks` {
  @Test func `The longest tasks start first, and results are reported in order`()
    async throws
  {
    let system = try #require(LabSystem.named("tracker"))
    let tasks = [Condition.lateJoin, .steady, .backgroundWrites, .crash].map { condition in
      ExploreTask(
        system: system,
        condition: condition,
        scope: ExploreScope(actors: 2, depth: 1),
        stateCountMax: 1_000,
        versions: [:]
      )
    }
    let queue = ExploreQueue(tasks)
    // The steady one finishes first among those whose plans start alike.
    #expect((0..<5).map { _ in queue.take() } == [1, 2, 3, 0, nil])
    let outcomes = try await ExploreQueue(tasks).run(
      jobs: 2,
      finished: { _ in },
      progress: { _ in true }
    )
    #expect(outcomes.map(\.outcome.condition) == tasks.map(\.condition))
  }

  @Test(arguments: ["tracker", "kit-1.3-manual", "article"])
  func `Reusing another condition's exploration does not change the results`(
    _ name: String
  ) throws {
    let system = try #require(LabSystem.named(name))
    func task(_ condition: Condition) -> ExploreTask {
      ExploreTask(
        system: system,
        condition: condition,
        scope: ExploreScope(actors: 2, depth: 3),
        stateCountMax: 10_000,
        versions: [:]
      )
    }
    for (first, second) in [(Condition.steady, Condition.ties), (.clockBack, .clockJump)] {
      #expect(task(first).reuseKey == task(second).reuseKey)
      let moves = try task(first).run(keepingMoves: true) { _ in true }.exploration.moves
      let alone = try task(second).run { _ in true }
      let after = try task(second).run(knowing: moves) { _ in true }
      #expect(moves != nil && alone.exploration.moves == nil)
      #expect(alone.exploration.planCount == after.exploration.planCount)
      #expect(alone.exploration.stateCount == after.exploration.stateCount)
      #expect(alone.exploration.moveCount == after.exploration.moveCount)
      #expect(alone.exploration.broken == after.exploration.broken)
      #expect(alone.exploration.exercised == after.exploration.exercised)
    }
  }

  /// Counts every pass as exercised, whatever state it leads to.
  private struct PassJudge: PlanJudge {
    private var hasPassed = false

    init(_ header: PlanHeader) {}
    mutating func append(_ command: Command) {
      if command.action.word == "pass" { hasPassed = true }
    }
    mutating func observe(_ event: Event) {}
    func describe(_ state: inout StateSketch, tick: Int) {}
    var broken: UInt64 { 0 }
    var conclusion: (broken: UInt64, held: UInt64) { (0, hasPassed ? 1 : 0) }
  }

  @Test func `Coverage of a known last move counts if it leads to a known state`()
    throws
  {
    func explore(knowing moves: KnownMoves?) throws -> Exploration {
      var bounds = ExplorationBounds(depth: 1, stateCountMax: 100)
      bounds.keepsMoves = true
      let explorer = Explorer(
        TrackerSystem(),
        at: .heap(),
        space: PlanAlphabet(.steady, actors: 2, actions: [.pass]),
        judge: PassJudge.self,
        bounds: bounds,
        knowing: moves
      )
      return try explorer.explore()
    }
    let alone = try explore(knowing: nil)
    // Without a writer, or with one, a pass has no effect.
    #expect(alone.stateCount == 2)
    #expect(alone.exercised == 1)
    #expect(try explore(knowing: alone.moves).exercised == 1)
  }

  @Test func `Tasks with different initial plans or clock ages share no moves`() throws {
    let system = try #require(LabSystem.named("tracker"))
    func reuseKey(_ condition: Condition, depth: Int = 3) -> ExploreTask.ReuseKey? {
      ExploreTask(
        system: system,
        condition: condition,
        scope: ExploreScope(actors: 2, depth: depth),
        stateCountMax: 1,
        versions: [:]
      ).reuseKey
    }
    #expect(reuseKey(.steady) == reuseKey(.crash) && reuseKey(.steady) != nil)
    for other in [Condition.clockBack, .lateJoin, .retention, .mirrorLag, .lostNotification] {
      #expect(reuseKey(other) != reuseKey(.steady), "\(other)")
    }
    #expect(reuseKey(.steady) != reuseKey(.steady, depth: 4))
    #expect(reuseKey(.configSkew) == nil && reuseKey(.hookFailure) == nil)
  }
}
