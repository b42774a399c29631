import Campaigns
import Checkers
import Commands
import Measuring
import PropertyTesting
import Simulation
import Systems
import Traces
import Workloads

/// Runs the trials of all mutants, one mutant at a time, with the seeds spread over workers.
///
/// A mutant is enabled for the whole process, so two mutants cannot run at the same time. The results
/// do not depend on the number of workers.
struct MutantRun: Sendable {
  let mutants: [Mutant]
  let seeds: [UInt64]
  let jobs: Int
  /// Returns the system under test that contains a mutant.
  let system: @Sendable (Mutant) -> LabSystem
  /// The number of plans of one seed after which a mutant counts as a survivor.
  let caseCountMax: Int
  let now: @Sendable () -> Duration
  /// The executable that runs each trial in a process of its own; `nil` runs the trials in this process.
  let command: String?

  /// The maximum number of plans per seed for a mutant that is listed as equivalent.
  static let equivalentCaseCountMax = 200

  init(
    _ mutants: [Mutant],
    seed: UInt64,
    seedCount: Int,
    jobs: Int,
    system: @escaping @Sendable (Mutant) -> LabSystem,
    caseCountMax: Int,
    now: @escaping @Sendable () -> Duration,
    command: String? = nil
  ) {
    self.command = command
    self.mutants = mutants
    seeds = (0..<seedCount).map { SeededGenerator.seed(seed, part: UInt64($0)) }
    self.jobs = jobs
    self.system = system
    self.caseCountMax = caseCountMax
    self.now = now
  }

  var trialCount: Int { mutants.count * seeds.count }

  /// Runs all trials until `goesOn` returns `false`.
  ///
  /// - Returns: The trials by mutant and by seed, in order, without the trials that did not run.
  func trials(
    progress: @escaping @Sendable (MutantTrial) -> Void,
    goesOn: @escaping @Sendable () -> Bool
  ) async throws(LabError) -> [[MutantTrial]] {
    var all: [[MutantTrial]] = []
    for mutant in mutants { all.append(try await trials(of: mutant, progress, goesOn)) }
    return all
  }

  private func trials(
    of mutant: Mutant,
    _ progress: @escaping @Sendable (MutantTrial) -> Void,
    _ goesOn: @escaping @Sendable () -> Bool
  ) async throws(LabError) -> [MutantTrial] {
    let queue = PlanQueue(plans: seeds.count, steps: nil)
    let results = await withTaskGroup(of: Result<[Int: MutantTrial], LabError>.self) { group in
      for _ in 0..<min(jobs, seeds.count) {
        group.addTask {
          do throws(LabError) {
            return .success(try await worker(mutant, queue, progress, goesOn))
          } catch {
            return .failure(error)
          }
        }
      }
      var results: [Result<[Int: MutantTrial], LabError>] = []
      for await result in group { results.append(result) }
      return results
    }
    var all: [Int: MutantTrial] = [:]
    for result in results { all.merge(try result.get()) { first, _ in first } }
    return seeds.indices.compactMap { all[$0] }
  }

  private func worker(
    _ mutant: Mutant,
    _ queue: PlanQueue,
    _ progress: (MutantTrial) -> Void,
    _ goesOn: () -> Bool
  ) async throws(LabError) -> [Int: MutantTrial] {
    let isEquivalent = mutant.equivalence != nil
    let count = min(caseCountMax, isEquivalent ? Self.equivalentCaseCountMax : .max)
    let worker = MutantWorker(place: .heap(), system: system(mutant), now: now, caseCountMax: count)
    var trials: [Int: MutantTrial] = [:]
    while goesOn(), let number = queue.take() {
      let seed = seeds[number - 1]
      let trial: MutantTrial
      if let command {
        trial = try await DescribedTrial(mutant: mutant, seed: seed, caseCountMax: count).run(
          command
        )
      } else {
        trial = try worker.trial(mutant, seed: seed)
      }
      trials[number - 1] = trial
      progress(trial)
    }
    return trials
  }
}

/// The result of running the plans of one seed on one mutant.
struct MutantTrial: Sendable {
  /// The reason why a trial ended without a verdict; raw values are the words in reports.
  enum UnfinishedTrial: String, CaseIterable {
    case late = "over 30 s"
    case crashed = "a crash"
  }

  /// A plan that kills the mutant, before and after shrinking.
  struct Kill: Sendable {
    /// The checkers that reject the plan as found and as shrunk.
    let checkers: (found: String, shrunk: String)
    /// The number of commands of the plan before shrinking.
    let foundCommandCount: Int
    let plan: Plan
    /// The symptoms of the run of `plan`, by which a campaign groups failures.
    let symptoms: [FailureSymptom]
    /// The number of runs of the system during shrinking.
    let evaluations: Int
    /// The duration of shrinking.
    let seconds: Double

    /// The number of commands of the shrunk plan.
    var commandCount: Int { plan.commands.count }
  }

  let mutant: String
  let seed: UInt64
  /// The number of plans run, including the first one that kills the mutant.
  let caseCount: Int
  /// The time for running `caseCount` plans, in seconds.
  let seconds: Double
  /// The first plans that kill the mutant, each after shrinking.
  let kills: [Kill]
  /// The reason why the trial ended before a checker rejected any plan; otherwise `nil`.
  var unfinished: UnfinishedTrial?

  /// The shortest of the shrunk plans.
  var shortest: Kill? { kills.min { $0.commandCount < $1.commandCount } }
}

/// Runs trials one after another, with all stores in the same location.
struct MutantWorker {
  let place: StorePlace
  let system: LabSystem
  let now: @Sendable () -> Duration
  /// The number of plans after which a mutant counts as a survivor.
  let caseCountMax: Int
  /// Called before each run of a plan.
  var beforePlan: () -> Void = {}

  /// The share of plans that test stores on disk, for mutants that need one of ``diskConditions``.
  private static let diskShare = 0.17
  /// The conditions of mutants that need tests of stores on disk.
  ///
  /// Only a test of a store on disk suspends a store in the middle of a write, replaces the file of
  /// a suspended store, or saves duplicates under every merge policy.
  private static let diskConditions: Set<Condition> = [.suspension, .relations]
  /// The maximum number of runs of the system per shrink.
  static let shrinkEvaluations = 3_000
  /// The time limit of each shrink.
  private static let shrinkLimit = Duration.seconds(10)
  /// The maximum number of killing plans to shrink.
  ///
  /// Several plans are shrunk because a mutant can fail in different ways. Shrinking does not turn a
  /// plan for one failure into a plan for a different failure.
  static let killCount = 6
  /// The number of plans that run after the first killing plan, to find more killing plans.
  static let furtherCaseCountMax = 400

  /// Runs plans until one kills the mutant, searches for more killing plans, and shrinks them all.
  ///
  /// A plan kills the mutant if the plan breaks any invariant. A shrunk plan may break a different
  /// invariant from the plan as found.
  ///
  /// After each plan that kills the mutant, `onKill` is called with the results so far.
  func trial(
    _ mutant: Mutant,
    seed: UInt64,
    onKill: (MutantTrial) -> Void = { _ in }
  ) throws(LabError) -> MutantTrial {
    let options = PlanOptions(conditions: mutant.conditionChoice)
    var style = try options.style(for: system)
    if Self.diskConditions.contains(where: { mutant.conditions.contains($0.rawValue) }) {
      style.diskShare = Self.diskShare
    }
    let recipe = PlanRecipe(
      generator: PlanGenerator(style),
      seed: seed,
      timestamps: system.timestamps
    )
    let worker = PlanWorker(system, at: place, versions: [:])
    defer { worker.close() }
    do throws(SystemFailure) {
      let start = now()
      let first = try next(from: 1, count: caseCountMax, recipe, worker)
      let seconds = (now() - start) / .seconds(1)
      let trial = { (kills: [MutantTrial.Kill]) in
        MutantTrial(
          mutant: mutant.name,
          seed: seed,
          caseCount: first?.number ?? caseCountMax,
          seconds: seconds,
          kills: kills
        )
      }
      guard let first else { return trial([]) }
      return trial(try kills(from: first, recipe, worker) { onKill(trial($0)) })
    } catch {
      throw .lab("a plan could not be run on \(system.name): \(error.message)")
    }
  }

  /// The number of a plan that kills the mutant, with the violation.
  private typealias Found = (number: Int, violation: Violation)

  /// Returns the first plan that kills the mutant among `count` plans that start at number `first`.
  private func next(
    from first: Int,
    count: Int,
    _ recipe: PlanRecipe,
    _ worker: PlanWorker
  ) throws(SystemFailure) -> Found? {
    for number in first..<first + count {
      beforePlan()
      if let found = try worker.violation(by: recipe.plan(number).plan) { return (number, found) }
    }
    return nil
  }

  private func kills(
    from first: Found,
    _ recipe: PlanRecipe,
    _ worker: PlanWorker,
    onKill: ([MutantTrial.Kill]) -> Void
  ) throws(SystemFailure) -> [MutantTrial.Kill] {
    let last = first.number + Self.furtherCaseCountMax
    var kills: [MutantTrial.Kill] = []
    var found: Found? = first
    while let (number, violation) = found {
      kills.append(try shrink(violation, recipe, number, worker))
      onKill(kills)
      guard kills.count < Self.killCount else { break }
      found = try next(from: number + 1, count: last - number, recipe, worker)
    }
    return kills
  }

  private func shrink(
    _ violation: Violation,
    _ recipe: PlanRecipe,
    _ number: Int,
    _ worker: PlanWorker
  ) throws(SystemFailure) -> MutantTrial.Kill {
    let start = now()
    let found = recipe.plan(number)
    var shrinker = Shrinker(budget: Budget(evaluations: Self.shrinkEvaluations))
    shrinker.isThorough = true
    let shrunk = shrinker.shrink(found.choices, label: "killed") { source in
      // With a mutant that waits, each run of a plan takes seconds.
      guard now() - start < Self.shrinkLimit else { return .passed }
      beforePlan()
      let violation = try worker.violation(by: recipe.plan(from: &source))
      return violation.map { .failed(label: "killed", message: $0.because) } ?? .passed
    }
    var source = ChoiceSource(replaying: shrunk.sequence)
    let plan = recipe.plan(from: &source)
    // If the shrunk plan passes now, because the failure depends on time, the plan as found is kept.
    let last = try worker.violation(by: plan)
    let kept = last == nil ? found.plan : plan
    beforePlan()
    return MutantTrial.Kill(
      checkers: (violation.checker, (last ?? violation).checker),
      foundCommandCount: found.plan.commands.count,
      plan: kept,
      symptoms: FailureSymptom.all(of: try worker.trace(kept), breaking: last ?? violation),
      evaluations: shrunk.evaluations,
      seconds: (now() - start) / .seconds(1)
    )
  }
}

extension Mutant {
  /// The conditions of the mutant's plans; the default conditions if the mutant names none.
  var conditionChoice: ConditionChoice {
    let named = conditions.compactMap(Condition.init)
    return named.isEmpty ? .everyday : .named(named)
  }
}

/// The trials of one mutant with every seed.
struct MutantOutcome: Sendable {
  let mutant: Mutant
  let trials: [MutantTrial]

  /// The first plan that killed the mutant, for each seed with a kill.
  var firsts: [MutantTrial.Kill] { trials.compactMap(\.kills.first) }

  /// The shortest plan that killed the mutant, for each seed with a kill.
  var shortests: [MutantTrial.Kill] { trials.compactMap(\.shortest) }

  /// The number of seeds that killed the mutant, including by a plan that hangs or crashes.
  var killCount: Int { firsts.count + trials.count { $0.unfinished != nil } }

  /// Whether the mutant was tried with at least one seed.
  var isTried: Bool { !trials.isEmpty }

  /// Whether the outcome is expected: every seed kills the mutant, or no seed if it is equivalent.
  var isAsExpected: Bool {
    isTried && (mutant.equivalence == nil ? killCount == trials.count : killCount == 0)
  }

  /// The outcome in a word or two.
  var word: String {
    guard isTried else { return "not tried" }
    return switch (mutant.equivalence, killCount) {
    case (nil, trials.count): "killed"
    case (nil, _): "survived"
    case (_?, 0): "equivalent"
    case (_?, _): "not equivalent"
    }
  }

  /// For each checker, the number of seeds whose first killing plan it rejects; most seeds first.
  ///
  /// The reasons of unfinished trials follow, each with its number of seeds.
  var checkers: [(name: String, count: Int)] {
    let counts = Dictionary(grouping: firsts, by: \.checkers.found).mapValues(\.count)
    return counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
      + MutantTrial.UnfinishedTrial.allCases.compactMap { ending in
        let count = trials.count { $0.unfinished == ending }
        return count > 0 ? (ending.rawValue, count) : nil
      }
  }

  /// The median number of plans run per seed, until the first kill or until the limit of plans.
  var caseMedian: Double {
    median(trials.filter { $0.unfinished == nil }.map { Double($0.caseCount) })
  }

  /// The median time per seed, in seconds, until the first kill or until the limit of plans.
  var secondsMedian: Double { median(trials.map(\.seconds)) }

  /// The median number of commands in ``firsts``, each seed's first plan that kills, as shrunk.
  var firstMedian: Double { median(firsts.map { Double($0.commandCount) }) }

  /// The median number of commands in ``shortests``, each seed's shortest shrunk plan that kills.
  var shortestMedian: Double { median(shortests.map { Double($0.commandCount) }) }

  /// The number of seeds whose first plan that kills shrank to ``Mutant/least`` commands or fewer.
  var firstLeastCount: Int { firsts.count { $0.commandCount <= mutant.least } }

  /// The number of seeds with a plan that kills and shrank to ``Mutant/least`` commands or fewer.
  var leastCount: Int { shortests.count { $0.commandCount <= mutant.least } }

  /// The number of different failures among the shrunk plans, counted as a `campaign` lists them.
  var failureCount: Int {
    let kills = trials.flatMap(\.kills)
    return Set(kills.map { FailureKey($0.plan, of: mutant.name, breaks: $0.checkers.shrunk) }).count
  }

  /// The number of groups of failures among the shrunk plans, formed as in a `campaign`.
  var groupCount: Int { FailureSymptom.groups(trials.flatMap(\.kills).map(\.symptoms)).count }

  /// The shortest shrunk plan that kills the mutant, over all seeds; `nil` if no plan kills it.
  var shortest: MutantTrial.Kill? {
    shortests.min { $0.commandCount < $1.commandCount }
  }

  /// The longest plan in ``shortests``, which contains one plan for each seed with a kill.
  ///
  /// `nil` if these plans are equally long, or if no seed has a kill.
  var longest: MutantTrial.Kill? {
    let longest = shortests.max { $0.commandCount < $1.commandCount }
    let least = shortest?.commandCount ?? 0
    return longest.flatMap { $0.commandCount > least ? $0 : nil }
  }

  private func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : SortedSamples(values).median
  }
}
