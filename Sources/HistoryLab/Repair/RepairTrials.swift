import Basics
import Checkers
import Commands
import HistoryTypes
import Programs
import Simulation
import Systems
import Traces
import Workloads

/// Decides whether any known plan, random plan or explored plan breaks a changed design.
///
/// A tracking design has one choice for each decision; a change replaces one choice. A plan breaks
/// a design if the design violates an invariant in the plan.
struct RepairTrials: Sendable {
  let system: LabSystem
  let design: TrackingDesign
  let conditions: [Condition]
  let limits: Limits
  let jobs: Int
  let versions: [String: String]

  /// The limits of the search for a plan in which a changed design violates an invariant.
  struct Limits: Sendable, Hashable {
    /// The number of random plans.
    var plans = 20_000
    var seed: UInt64 = 1
    var scope = ExploreScope(actors: 2, depth: 6)
    /// The maximum number of states that the exploration under one condition may reach.
    ///
    /// An exploration that would reach more states ends early, and counts as incomplete.
    var stateCountMax = 210_000

    /// The number of plans in which costs are counted.
    var costPlans: Int { min(plans, RepairCost.planCountMax) }
  }

  /// The extent of an exploration in which the changed design violated no invariant.
  struct Coverage: Sendable {
    var planCount = 0.0
    var stateCount = 0
    /// The conditions whose exploration ended before the maximum depth.
    var incomplete: [Condition] = []
  }

  /// The maximum number of commands in the first exploration, which quickly finds the shortest plans.
  private static let firstDepth = 4
  /// The numbers of random plans to run first; so few plans quickly find frequent violations.
  private static let firstPlanCounts = [500, 5_000]

  /// Returns the costs of the changed design, such as its number of fetches, for each of `sets`.
  ///
  /// The costs are counted while plans run that are generated with `style`.
  func costs(
    of sets: [Set<RepairChange>],
    style: PlanStyle
  ) async throws(LabError) -> [RepairCost] {
    try await each(sets) { set throws(LabError) in
      try RepairCost(of: system(set), style: style, plans: limits.costPlans, versions: versions)
    }
  }

  /// Whether a repaired design must purge, because the unchanged one can: after passes or by command.
  var mustPurge: Bool { design.purges }

  /// Returns whether a changed design purges; `cost` contains the costs of this design.
  ///
  /// The design purges if transactions were deleted while its costs were counted, or if its purges
  /// delete transactions above an age. `advise` decides by the same rule whether a design purges.
  func purging(_ set: Set<RepairChange>, _ cost: RepairCost) -> RepairPurging {
    if cost.purged > 0 { return .measured }
    return design.changed(by: set).purgeAgeDays.map { .byAge(days: $0) } ?? .never
  }

  /// Returns the changed design as a system of the lab.
  func system(_ changes: Set<RepairChange>) -> LabSystem {
    LabSystem(design.changed(by: changes), name: system.name, system.statedUse)
  }

  // MARK: Known plans

  /// Returns, for each set of changes, the index of the first plan that breaks the changed design.
  ///
  /// A plan breaks a design if the design violates an invariant in the plan. The index is `nil` if
  /// none of the plans breaks the changed design.
  func rejections(
    _ sets: [Set<RepairChange>],
    _ plans: ArraySlice<Plan>
  ) async throws(LabError) -> [Int?] {
    guard !plans.isEmpty else { return sets.map { _ in nil } }
    return try await each(sets) { set throws(LabError) in try firstBreaking(set, plans) }
  }

  /// Calls `body` for each set of changes, in several tasks; returns the answers in the same order.
  private func each<Answer: Sendable>(
    _ sets: [Set<RepairChange>],
    _ body: @escaping @Sendable (Set<RepairChange>) throws(LabError) -> Answer
  ) async throws(LabError) -> [Answer] {
    let workers = max(1, min(jobs, sets.count))
    typealias Part = Result<[(Int, Answer)], LabError>
    let parts = await withTaskGroup(of: Part.self) { group in
      for worker in 0..<workers {
        group.addTask {
          Result { () throws(LabError) in
            var part: [(Int, Answer)] = []
            for index in stride(from: worker, to: sets.count, by: workers) {
              if Interruption.isRequested { throw .interrupted }
              part.append((index, try body(sets[index])))
            }
            return part
          }
        }
      }
      var parts: [Part] = []
      for await part in group { parts.append(part) }
      return parts
    }
    var answers: [(Int, Answer)] = []
    for part in parts { answers += try part.get() }
    return answers.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func firstBreaking(
    _ set: Set<RepairChange>,
    _ plans: ArraySlice<Plan>
  ) throws(LabError) -> Int? {
    let trials = DesignWorker(system(set), versions)
    defer { trials.close() }
    for index in plans.indices where try trials.violation(by: plans[index]) != nil { return index }
    return nil
  }

  /// Returns the violation that a plan causes in a changed design; `nil` if it causes none.
  func violation(_ set: Set<RepairChange>, by plan: Plan) throws(LabError) -> Violation? {
    let trials = DesignWorker(system(set), versions)
    defer { trials.close() }
    return try trials.violation(by: plan)
  }

  // MARK: Verification

  /// Returns plans that break a changed design; empty if the search finds none.
  ///
  /// `note` receives a description of each step.
  func verify(
    _ set: Set<RepairChange>,
    _ note: @escaping @Sendable (String) -> Void
  ) async throws(LabError) -> (plans: [Plan], coverage: Coverage) {
    let system = system(set)
    let first = ExploreScope(
      actors: limits.scope.actors,
      depth: min(Self.firstDepth, limits.scope.depth)
    )
    var (plans, coverage) = try await explore(system, first, note)
    if plans.isEmpty { plans = try await check(system, note) }
    if plans.isEmpty, first != limits.scope {
      (plans, coverage) = try await explore(system, limits.scope, note)
    }
    return (plans, coverage)
  }

  private func explore(
    _ system: LabSystem,
    _ scope: ExploreScope,
    _ note: @escaping @Sendable (String) -> Void
  ) async throws(LabError) -> (plans: [Plan], coverage: Coverage) {
    let tasks = conditions.filter { system.refusal(of: $0) == nil }.map { condition in
      ExploreTask(
        system: system,
        condition: condition,
        scope: scope,
        stateCountMax: limits.stateCountMax,
        versions: versions
      )
    }
    let done = try await ExploreQueue(tasks).run(jobs: jobs) { _ in
    } progress: { states in
      note("exploring \(scope.sentence), \(states.counted("state"))")
      return !Interruption.isRequested
    }
    if Interruption.isRequested { throw .interrupted }
    var coverage = Coverage()
    var plans: [Plan] = []
    for (task, outcome) in done {
      coverage.planCount += outcome.exploration.planCount
      coverage.stateCount += outcome.exploration.stateCount
      if outcome.exploration.ending != .complete { coverage.incomplete.append(task.condition) }
      let broken = outcome.broken.sorted { ($0.value.length, $0.key) < ($1.value.length, $1.key) }
      plans += broken.map(\.value.trace.header.plan)
    }
    plans = plans.uniqued.sorted { $0.commands.count < $1.commands.count }
    return (plans, coverage)
  }

  private func check(
    _ system: LabSystem,
    _ note: @escaping @Sendable (String) -> Void
  ) async throws(LabError) -> [Plan] {
    var options = PlanOptions()
    options.conditions = .named(conditions)
    let run = CheckRun(
      system: system,
      recipe: PlanRecipe(
        generator: PlanGenerator(try options.style(for: system)),
        seed: limits.seed,
        timestamps: system.timestamps
      ),
      versions: versions,
      place: { _ in .heap() }
    )
    for count in Self.firstPlanCounts.filter({ $0 < limits.plans }) + [limits.plans] {
      note("checking \(count.counted("plan"))")
      let tally = try await run.tally(plans: count, jobs: jobs) { _ in
      } goesOn: {
        !Interruption.isRequested
      }
      if Interruption.isRequested { throw .interrupted }
      guard
        let (checker, plan) = tally.broken.min(by: { ($0.plan, $0.checker) < ($1.plan, $1.checker) }
        )
      else { continue }
      note("shrinking a plan that breaks \(checker)")
      let shrunk = try run.shrink(checker, plan: plan) { _ in }
      return [shrunk.counterexample.trace.header.plan]
    }
    return []
  }
}

/// The evidence on whether a design purges: deleted transactions, an age limit, or neither.
///
/// The deletions are those in the random plans in which its ``RepairCost`` is counted.
enum RepairPurging: Hashable, Sendable {
  /// The design deleted transactions in the random plans in which its ``RepairCost`` is counted.
  case measured
  /// The design deletes transactions older than `days` days, but deleted none in the plans.
  ///
  /// The plans are the random plans in which its ``RepairCost`` is counted.
  case byAge(days: Double)
  /// The design does not purge by age, and deleted no transaction in the plans.
  ///
  /// The plans are the random plans in which its ``RepairCost`` is counted.
  case never
}

/// Runs plans on one design.
private final class DesignWorker {
  private let worker: PlanWorker
  private let place = StorePlace.heap()
  private let polls: Bool

  init(_ system: LabSystem, _ versions: [String: String]) {
    worker = PlanWorker(system, at: place, versions: versions)
    polls = system.capabilities.contains(.poll)
  }

  /// Returns the violation that a plan causes in the design; `nil` if it causes none.
  ///
  /// If the design does not poll, plans with polls are not run, and the result for them is `nil`.
  func violation(by plan: Plan) throws(LabError) -> Violation? {
    guard polls || !plan.commands.contains(where: { $0.action.word == "poll" }) else { return nil }
    do throws(SystemFailure) {
      return try worker.violation(by: plan)
    } catch {
      throw .lab("a plan could not be run on \(worker.system.name): \(error.message)")
    }
  }

  func close() {
    worker.close()
    place.removeStore()
  }
}
