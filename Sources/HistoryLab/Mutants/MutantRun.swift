import PropertyTesting
import Simulation
import Systems

/// A run of trials: one mutant after the other, its seeds spread over parallel workers.
///
/// A mutant is turned on for the whole process, so that two cannot run at the same time. The
/// results do not depend on the number of workers.
struct MutantRun: Sendable {
  let mutants: [Mutant]
  let seeds: [UInt64]
  let jobs: Int
  /// Returns the system under test that contains a mutant.
  let system: @Sendable (Mutant) -> LabSystem
  /// The number of plans of one seed after which a mutant counts as a survivor.
  let caseCountMax: Int
  let now: @Sendable () -> Duration

  /// The maximum number of plans per seed for a mutant that is listed as equivalent.
  static let equivalentCaseCountMax = 200

  init(
    _ mutants: [Mutant],
    seed: UInt64,
    seedCount: Int,
    jobs: Int,
    system: @escaping @Sendable (Mutant) -> LabSystem,
    caseCountMax: Int,
    now: @escaping @Sendable () -> Duration
  ) {
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
            return .success(try lane(mutant, queue, progress, goesOn))
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

  private func lane(
    _ mutant: Mutant,
    _ queue: PlanQueue,
    _ progress: (MutantTrial) -> Void,
    _ goesOn: () -> Bool
  ) throws(LabError) -> [Int: MutantTrial] {
    let isEquivalent = mutant.equivalence != nil
    let lane = MutantLane(
      place: .heap(),
      system: system(mutant),
      now: now,
      caseCountMax: min(caseCountMax, isEquivalent ? Self.equivalentCaseCountMax : .max)
    )
    var trials: [Int: MutantTrial] = [:]
    while goesOn(), let number = queue.take() {
      let trial = try lane.trial(mutant, seed: seeds[number - 1])
      trials[number - 1] = trial
      progress(trial)
    }
    return trials
  }
}
