import Basics
import Commands
import FileCommands
import Programs
import Reporting
import Simulation
import Systems
import Traces
import Workloads

/// Runs plans on a tracking design under test conditions, and reports the broken invariants.
///
/// `advise --design` uses it. The conditions, such as equal timestamps, are those that the history
/// in a store file shows.
struct DesignJudge {
  /// The bounds of the exploration: every plan of 2 actors and up to 4 commands is run.
  ///
  /// The exploration of ten conditions takes one or two seconds with these bounds.
  var scope = ExploreScope(actors: 2, depth: 4)
  var stateCountMax = 50_000
  /// The number of random plans, which may be longer than `scope` allows and show whether the
  /// design ever purges.
  var planCount = 200

  /// The setting that makes `advise --design` call ``advice(_:_:jobs:)``.
  var reader: DesignReader {
    var reader = DesignReader()
    reader.read = { name, conditions, jobs throws(LabError) in
      try await advice(name, conditions, jobs: jobs)
    }
    return reader
  }

  /// Returns the behavior of a design under the named conditions.
  ///
  /// - Throws: a usage error if the system is not a design whose decisions are known.
  func advice(
    _ name: String,
    _ names: [String],
    jobs: Int
  ) async throws(LabError) -> DesignAdvice {
    let system = try LabSystem.find(name, SharedProgramState())
    guard let design = system.design else {
      let known = TrackingDesign.all.map(\.name).joinedWithAnd
      throw .usage(
        "--design: \(name.quoted) is not a known design. Use one of \(known), or a file that "
          + "describes a design.",
        try: "repair --system kit-2 --describe"
      )
    }
    let seen = names.compactMap(Condition.init)
    let conditions = seen.filter { system.refusal(of: $0) == nil }
    let tasks = conditions.map { condition in
      ExploreTask(
        system: system,
        condition: condition,
        scope: scope,
        stateCountMax: stateCountMax,
        versions: [:]
      )
    }
    let done = try await ExploreQueue(tasks).run(jobs: jobs) { _ in
    } progress: { _ in
      !Interruption.isRequested
    }
    let tally = try await tally(system, conditions, jobs: jobs)
    if Interruption.isRequested { throw .interrupted }
    let short = done.flatMap { task, outcome in breaks(task.condition, outcome) }
    // A design that purges by age does not count as idle, because no week passes in these plans.
    let isIdle = tally.neverPurged && design.purgeAgeDays == nil
    let known = short.map(\.invariant)
    return DesignAdvice(
      name: system.name,
      sentence: design.sentence,
      purging: isIdle ? .never : design.purging,
      purges: isIdle ? "never purged in \(planCount) random plans" : design.purgeWords,
      conditions: conditions.map(\.rawValue),
      unsupported: seen.filter { system.refusal(of: $0) != nil }.map(\.rawValue),
      scope: "\(scope.sentence), and \(planCount) random plans",
      breaks: short
        + tally.broken.filter { !known.contains($0.checker) }.map {
          longBreak(of: $0.checker, plan: $0.plan, system, conditions)
        }
    )
  }

  /// Runs random plans under all conditions together.
  private func tally(
    _ system: LabSystem,
    _ conditions: [Condition],
    jobs: Int
  ) async throws(LabError) -> CheckTally {
    let options = PlanOptions(conditions: .named(conditions))
    let run = CheckRun(
      system: system,
      recipe: PlanRecipe(
        generator: PlanGenerator(try options.style(for: system)),
        seed: 1,
        timestamps: system.timestamps
      ),
      versions: [:],
      place: { _ in .heap() }
    )
    return try await run.tally(plans: planCount, jobs: jobs) { _ in
    } goesOn: {
      !Interruption.isRequested
    }
  }

  /// Returns a violation that random plans show but the exploration of short plans does not.
  ///
  /// The result's sentence contains the `check` command line with which the plan can be shrunk.
  private func longBreak(
    of invariant: String,
    plan number: Int,
    _ system: LabSystem,
    _ conditions: [Condition]
  ) -> DesignAdvice.Break {
    let names = conditions.map(\.rawValue).joined(separator: ",")
    return DesignAdvice.Break(
      condition: "random plans",
      invariant: invariant,
      sentence: "Random plan \(number) breaks the invariant. To shrink the plan, run: check "
        + "--system \(system.name.shellQuoted) --conditions \(names) --seed 1 --plans \(planCount)."
    )
  }

  private func breaks(
    _ condition: Condition,
    _ outcome: ExploreTask.Outcome
  ) -> [DesignAdvice.Break] {
    outcome.broken.sorted { $0.key < $1.key }.map { invariant, counterexample in
      let plan = counterexample.trace.header.plan
      let because = counterexample.violation.because.capitalised.fullStopped
      return DesignAdvice.Break(
        condition: condition.rawValue,
        invariant: invariant,
        sentence: "\(plan.words). \(because)".printable
      )
    }
  }
}

extension TrackingDesign {
  /// The rule by which the design purges, in the categories of `advise`.
  fileprivate var purging: DesignAdvice.Purging {
    guard purges else { return .never }
    return purgeAgeDays.map { .byAge(days: $0) } ?? .byPosition
  }

  /// A clause that says whether the design purges and, if so, how far a purge deletes.
  fileprivate var purgeWords: String {
    guard purges else { return "never purges" }
    let bound = DesignDecision.named("bound")
    return bound.map { $0.sentence(of: $0.choice(of: self)) } ?? "purges"
  }
}
