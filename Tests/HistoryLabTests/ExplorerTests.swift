import Checkers
import Foundation
import HistoryStore
import HistoryTypes
import LabFixtures
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import HistoryLab

@Suite struct `Explorations` {
  private static let names = CheckerSuite.names(in: .all)

  /// Explores every plan of a system under a condition.
  private func explore(
    _ system: any SystemUnderTest,
    _ condition: Condition,
    actors: Int = 2,
    depth: Int,
    at place: StorePlace = .heap(),
    _ change: (inout ExplorationBounds) -> Void = { _ in }
  ) throws -> Exploration {
    try explorer(system, condition, actors: actors, depth: depth, at: place, change).explore()
  }

  private func explorer(
    _ system: any SystemUnderTest,
    _ condition: Condition,
    actors: Int = 2,
    depth: Int,
    at place: StorePlace = .heap(),
    _ change: (inout ExplorationBounds) -> Void = { _ in }
  ) -> Explorer<PlanAlphabet, SuiteJudge> {
    var bounds = ExplorationBounds(depth: depth, stateCountMax: 1_000_000)
    change(&bounds)
    var alphabet = PlanAlphabet(condition, actors: actors, actions: Set(PlanAction.allCases))
    if system is PublishedSystem {
      for index in alphabet.headers.indices { alphabet.headers[index].timestamps = .wallClock }
    }
    return Explorer(
      system,
      at: place,
      space: alphabet,
      judge: SuiteJudge.self,
      bounds: bounds
    )
  }

  /// Returns the length of the shortest plan that breaks each invariant.
  private func lengths(_ exploration: Exploration) -> [String: Int] {
    var lengths: [String: Int] = [:]
    for (number, plan) in exploration.broken { lengths[Self.names[number]] = plan.commands.count }
    return lengths
  }

  @Test func `The shortest plans of known bugs are found`() throws {
    let greatest = try explore(LogSystem<GreatestCursorLog>(), .steady, depth: 3)
    #expect(lengths(greatest)["PurgeSafety"] == 3 && lengths(greatest).values.min() == 3)
    let article = try explore(PublishedSystem(.article), .ties, depth: 3)
    #expect(lengths(article) == ["CursorProgress": 2, "Convergence": 3, "NoLostTransaction": 3])
  }

  @Test func `The tracker holds in every plan of two commands, under every condition`() throws {
    for condition in Condition.allCases where condition != .callFailure {
      let found = try explore(TrackerSystem(), condition, depth: 2)
      #expect(found.broken.isEmpty, "\(condition)")
      #expect(found.ending == .complete && found.depth == 2)
      #expect(found.stateCount > 10 && found.planCount > 20, "\(condition)")
    }
  }

  /// Systems with a condition each, and a length up to which every plan runs quickly.
  private static let small: [(Int, Condition, @Sendable () -> any SystemUnderTest)] = [
    (3, .lateJoin, { TrackerSystem() }), (2, .crash, { TrackerSystem() }),
    (3, .clockBack, { PublishedSystem(.article) }),
    (2, .sameAuthorTwice, { PublishedSystem(.article) }),
    (2, .ties, { PublishedSystem(.articleEager) }),
    (3, .steady, { LogSystem<GreatestCursorLog>() }),
    (2, .hookFailure, { TrackerSystem() }), (2, .lostNotification, { TrackerSystem() }),
    (2, .mirrorLag, { PublishedSystem(.article) }), (2, .powerOff, { TrackerSystem() }),
  ]

  @Test(arguments: 0..<10)
  func `Merging states changes neither violations, nor their lengths, nor plan counts`(
    _ place: Int
  ) throws {
    let (depth, condition, make) = Self.small[place]
    let merged = try explore(make(), condition, depth: depth)
    let single = try explore(make(), condition, depth: depth) { $0.mergesStates = false }
    #expect(lengths(merged) == lengths(single), "\(condition)")
    #expect(merged.exercised == single.exercised, "\(condition)")
    #expect(merged.planCount == single.planCount, "\(condition)")
    #expect(Double(single.stateCount) == single.planCount)
    #expect(merged.stateCount < single.stateCount)
  }

  @Test func `Actors that share an author and a position are not exchanged`() throws {
    let merged = try explore(PublishedSystem(.sevenDayPurge), .sameAuthorTwice, actors: 3, depth: 2)
    let single = try explore(
      PublishedSystem(.sevenDayPurge),
      .sameAuthorTwice,
      actors: 3,
      depth: 2
    ) { $0.mergesStates = false }
    // The actor that passes first moves the position of the other past what it has not merged.
    #expect(lengths(single)["CursorProgress"] == 2)
    #expect(lengths(merged) == lengths(single))
    #expect(merged.stateCount < single.stateCount)
  }

  /// `SOUNDNESS_PAIRS` is the number of pairs per row; the nightly run sets it to 1,000.
  private static let pairCount =
    ProcessInfo.processInfo.environment["SOUNDNESS_PAIRS"].flatMap { Int($0) } ?? 1

  private static var isNight: Bool { pairCount > 1 }

  @Test(arguments: 0..<10)
  func `Merged states behave alike under the same further commands`(
    _ place: Int
  ) throws {
    let (depth, condition, make) = Self.small[place]
    let wanted = Self.pairCount
    let explorer = explorer(make(), condition, depth: wanted > 1 ? depth + 1 : depth) {
      $0.pairCountMax = wanted
    }
    _ = try explorer.explore()
    // The time of the next poll is not part of a state, because short plans end before it.
    let (count, differences) = try explorer.continuePairs(
      by: condition == .lostNotification ? 6 : 20
    )
    #expect(count > 0)
    #expect(differences.isEmpty, "\(condition): \(differences.first ?? "")")
  }

  @Test(arguments: 0..<10)
  func `A restored state equals the state that its plan leads to`(_ place: Int) throws {
    let (depth, condition, make) = Self.small[place]
    let kept = try explore(make(), condition, depth: depth)
    let ways: [(inout ExplorationBounds) -> Void] = [
      { $0.putsStatesBack = false }, { $0.keptCountMax = 0 }, { $0.keptCountMax = 7 },
    ]
    for way in Self.isNight ? ways : [ways[place % ways.count]] {
      let replayed = try explore(make(), condition, depth: depth, way)
      #expect(kept.stateCount == replayed.stateCount, "\(condition)")
      #expect(kept.planCount == replayed.planCount)
      #expect(kept.moveCount == replayed.moveCount)
      #expect(kept.broken == replayed.broken)
      #expect(kept.exercised == replayed.exercised)
    }
  }

  // MARK: Power-offs

  @Test func `One write detects a disk that ignores syncs`() throws {
    let found = try explore(
      TrackerSystem(),
      .powerOff,
      actors: 1,
      depth: 2,
      at: .heap(ignoringSyncs: true)
    )
    #expect(lengths(found)["Durability"] == 2)
  }

  @Test func `Each plan starts with the moves that its own header allows`() throws {
    let alphabet = PlanAlphabet(.powerOff, actors: 2, actions: Set(PlanAction.allCases))
    let consumed = alphabet.headers.map { header in
      alphabet.moves(from: alphabet.start(header)).contains(Command(.consume("mirror")))
    }
    #expect(alphabet.headers.map(\.synchronous) == [.full, .normal])
    #expect(consumed == [false, true])
    let powerless = alphabet.headers.map { header in
      alphabet.moves(from: alphabet.start(header)).filter { !$0.faults.isEmpty }
    }
    // A power-off with durable commits, also within each pass and purge of two actors; else without
    // loss.
    #expect(powerless.map(\.count) == [5, 2])
  }

  /// If states ignored unsynced commits, states that differ after a power-off would be merged.
  @Test func `For one actor, merging states does not change the power-offs reached`() throws {
    let merged = try explore(TrackerSystem(), .powerOff, actors: 1, depth: 3)
    let single = try explore(TrackerSystem(), .powerOff, actors: 1, depth: 3) {
      $0.mergesStates = false
    }
    #expect(lengths(merged) == lengths(single))
    #expect(merged.exercised == single.exercised)
    #expect(merged.planCount == single.planCount)
    #expect(merged.stateCount < single.stateCount)
  }

  /// The results for two actors before explorations were optimized.
  private static let known: [Known] = [
    Known("tracker", .crash, 3, plans: 1_085, states: 194),
    Known("tracker", .lostNotification, 3, plans: 907, states: 236),
    Known("tracker", .mirrorLag, 3, plans: 873, states: 364),
    Known("tracker", .hookFailure, 2, plans: 237, states: 129),
    Known("tracker", .backgroundWrites, 2, plans: 135, states: 48),
    Known("tracker", .powerOff, 3, plans: 1_594, states: 289),
    Known("kit-2", .crash, 3, plans: 603, states: 112),
    Known(
      "article",
      .lostNotification,
      3,
      plans: 589,
      states: 170,
      lengths: ["CursorProgress": 1, "WakeUp": 2]
    ),
    Known(
      "article",
      .configSkew,
      3,
      plans: 1_233,
      states: 278,
      lengths: ["Convergence": 1, "NoLostTransaction": 1, "CursorProgress": 2]
    ),
  ]

  private struct Known: Sendable, CustomTestStringConvertible {
    let system: String
    let condition: Condition
    let depth: Int
    let plans: Double
    let states: Int
    let lengths: [String: Int]

    init(
      _ system: String,
      _ condition: Condition,
      _ depth: Int,
      plans: Double,
      states: Int,
      lengths: [String: Int] = [:]
    ) {
      self.system = system
      self.condition = condition
      self.depth = depth
      self.plans = plans
      self.states = states
      self.lengths = lengths
    }

    var testDescription: String { "\(system) under \(condition.rawValue)" }
  }

  @Test(arguments: known)
  private func `Counts of plans and states and shortest lengths are unchanged`(
    _ known: Known
  ) throws {
    let system = try #require(LabSystem.named(known.system))
    let task = ExploreTask(
      system: system,
      condition: known.condition,
      scope: ExploreScope(actors: 2, depth: known.depth),
      stateCountMax: 10_000,
      versions: [:]
    )
    let outcome = try task.run { _ in true }
    #expect(outcome.exploration.planCount == known.plans)
    #expect(outcome.exploration.stateCount == known.states)
    #expect(outcome.broken.mapValues(\.length) == known.lengths)
  }

  @Test func `A length with far too many states is not started`() throws {
    let found = try explore(TrackerSystem(), .steady, depth: 5) {
      ($0.stateCountMax, $0.foresightCountMin) = (300, 50)
    }
    #expect(found.ending == .outOfStates)
    #expect(found.depth == 3)
    #expect(found.stateCount < 150)
    let whole = try explore(TrackerSystem(), .steady, depth: 4)
    let foreseen = try #require(found.foreseenStateCount)
    #expect((whole.stateCount / 2...whole.stateCount * 2).contains(foreseen))
  }

  @Test func `An exploration that runs out of states reports its depth`() throws {
    let found = try explore(TrackerSystem(), .steady, depth: 4) { $0.stateCountMax = 60 }
    #expect(found.ending == .outOfStates)
    #expect(found.depth == 2)
    #expect(found.stateCount == 61)
  }

  @Test func `An exploration can be interrupted`() throws {
    let explorer = Explorer(
      TrackerSystem(),
      at: .heap(),
      space: PlanAlphabet(.steady, actors: 2, actions: [.purge]),
      judge: SuiteJudge.self,
      bounds: ExplorationBounds(depth: 5, stateCountMax: 1_000)
    )
    let found = try explorer.explore { $0 < 20 }
    #expect(found.ending == .stopped)
    #expect(found.stateCount < 100)
  }

  @Test func `Every plan is legal: no command is skipped, and each adds to the length`()
    throws
  {
    for condition in Condition.allCases where condition != .callFailure {
      let alphabet = PlanAlphabet(condition, actors: 2, actions: Set(PlanAction.allCases))
      for header in alphabet.headers {
        let moves = alphabet.moves(from: alphabet.start(header))
        #expect(!moves.isEmpty && Set(moves).count == moves.count)
        let plan = Plan(header: header, commands: [moves[0]])
        let found = Condition.found(in: plan)
        let shaping: [Condition] = [
          .sameAuthorTwice, .configSkew, .lateJoin, .mirrorLag, .hookFailure, .retention,
        ]
        if shaping.contains(condition) { #expect(found.contains(condition)) }
        #expect(try PlanCodec.decode(PlanCodec.encode(plan)) == plan)
      }
    }
  }
}
