import PropertyTesting
import Simulation
import Systems

/// Makes the trials of mutants on several lanes; what they find does not depend on the number of lanes.
struct MutantRun: Sendable {
  let mutants: [Mutant]
  let seeds: [UInt64]
  let jobs: Int
  /// After so many plans of one seed a mutant has survived it.
  let caseCountMax: Int
  let now: @Sendable () -> Duration

  /// How many plans are run on a mutant that nothing is expected to show.
  static let equivalentCaseCountMax = 200

  init(
    _ mutants: [Mutant],
    seed: UInt64,
    seedCount: Int,
    jobs: Int,
    caseCountMax: Int,
    now: @escaping @Sendable () -> Duration
  ) {
    self.mutants = mutants
    seeds = (0..<seedCount).map { SeededGenerator.seed(seed, part: UInt64($0)) }
    self.jobs = jobs
    self.caseCountMax = caseCountMax
    self.now = now
  }

  /// How many trials there are.
  var trialCount: Int { mutants.count * seeds.count }

  /// Makes every trial, as long as it is told to go on.
  ///
  /// - Returns: the trials by mutant and seed, in their order; those that were not made are missing.
  func trials(
    progress: @escaping @Sendable (MutantTrial) -> Void,
    goesOn: @escaping @Sendable () -> Bool
  ) async throws(LabError) -> [[MutantTrial]] {
    let queue = PlanQueue(plans: trialCount, steps: nil)
    let results = await withTaskGroup(of: Result<[Int: MutantTrial], LabError>.self) { group in
      for _ in 0..<min(jobs, max(trialCount, 1)) {
        group.addTask {
          do throws(LabError) {
            return .success(try lane(queue, progress, goesOn))
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
    return mutants.indices.map { mutant in
      seeds.indices.compactMap { all[mutant * seeds.count + $0] }
    }
  }

  private func lane(
    _ queue: PlanQueue,
    _ progress: (MutantTrial) -> Void,
    _ goesOn: () -> Bool
  ) throws(LabError) -> [Int: MutantTrial] {
    let place = StorePlace.heap()
    var trials: [Int: MutantTrial] = [:]
    while goesOn(), let number = queue.take() {
      let index = number - 1
      let mutant = mutants[index / seeds.count]
      let isEquivalent = mutant.equivalence != nil
      let lane = MutantLane(
        place: place,
        now: now,
        caseCountMax: min(caseCountMax, isEquivalent ? Self.equivalentCaseCountMax : .max)
      )
      let trial = try lane.trial(mutant, seed: seeds[index % seeds.count])
      trials[index] = trial
      progress(trial)
    }
    return trials
  }
}
