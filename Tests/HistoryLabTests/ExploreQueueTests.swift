import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import HistoryLab

@Suite struct `Pieces of explorations` {
  @Test func `The pieces that take longest begin first, and are told in their order`() async throws
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
    // The steady one is soonest done of those whose plans begin alike.
    #expect((0..<5).map { _ in queue.take() } == [1, 2, 3, 0, nil])
    let outcomes = try await ExploreQueue(tasks).run(
      jobs: 2,
      finished: { _ in },
      progress: { _ in true }
    )
    #expect(outcomes.map(\.outcome.condition) == tasks.map(\.condition))
  }

  @Test(arguments: ["tracker", "kit-1.3-manual", "article"])
  func `What another condition's exploration knows changes nothing that is found`(
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
      #expect(task(first).kin == task(second).kin)
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

  @Test func `Pieces are no kin whose plans begin otherwise, or whose clocks age otherwise`() throws
  {
    let system = try #require(LabSystem.named("tracker"))
    func kin(_ condition: Condition, depth: Int = 3) -> ExploreTask.Kin? {
      ExploreTask(
        system: system,
        condition: condition,
        scope: ExploreScope(actors: 2, depth: depth),
        stateCountMax: 1,
        versions: [:]
      ).kin
    }
    #expect(kin(.steady) == kin(.crash) && kin(.steady) != nil)
    for other in [Condition.clockBack, .lateJoin, .retention, .mirrorLag, .lostNotification] {
      #expect(kin(other) != kin(.steady), "\(other)")
    }
    #expect(kin(.steady) != kin(.steady, depth: 4))
    #expect(kin(.configSkew) == nil && kin(.hookFailure) == nil)
  }
}
