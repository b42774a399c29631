import Basics
import Commands
import HistoryTypes
import Systems
import Traces
import Workloads

/// Searches for the smallest sets of changes that repair a design, and measures their costs.
struct RepairRun {
  let trials: RepairTrials
  let changeCountMax: Int
  /// Called with the number of newly decided sets and a note about the current step.
  let progress: @Sendable (_ decided: Int, _ note: String?) -> Void

  /// Searches for minimal sets, and finds the proofs and costs of each.
  ///
  /// - Throws: a lab error when a design cannot be run, or the work was interrupted.
  func report(seconds: () -> Double) async throws(LabError) -> RepairReport {
    let progress = progress
    let coverage = CoverageTable()
    var search = MinimalSets<RepairChange, Plan>(
      alternatives: trials.design.alternatives
    ) { sets, plans throws(LabError) in
      progress(0, sets.count == 1 ? nil : "trying \(sets.count.counted("set"))")
      return try await trials.rejections(sets, plans)
    } verify: { set throws(LabError) in
      let (plans, covered) = try await trials.verify(set) { progress(0, $0) }
      if plans.isEmpty { coverage[set] = covered }
      return plans
    }
    var decided = 0
    search.progress = { count in
      progress(count - decided, nil)
      decided = count
    }
    try await search.search(upTo: changeCountMax)
    var answers: [RepairReport.Answer] = []
    let style = try style()
    for set in search.minimal { answers.append(try answer(set, search, coverage[set], style)) }
    var larger: Set<RepairChange>?
    if answers.isEmpty { larger = try await search.reduce(trials.design.changesToCorner) }
    return RepairReport(
      system: trials.system.name,
      conditions: trials.conditions,
      limits: trials.limits,
      changeCountMax: changeCountMax,
      answers: answers,
      larger: try larger.map { (set) throws(LabError) in
        try answer(set, search, coverage[set], style)
      },
      unrepaired: answers.isEmpty && larger == nil ? try unrepaired(search) : nil,
      cost: try trials.cost(of: [], style: style),
      rejectedCount: search.rejections.count,
      verifiedCount: search.verifiedCount,
      planCount: search.proofs.count,
      seconds: seconds()
    )
  }

  /// The extent of the exploration, for each set of changes that was verified.
  private final class CoverageTable {
    private var all: [Set<RepairChange>: RepairTrials.Coverage] = [:]

    subscript(set: Set<RepairChange>) -> RepairTrials.Coverage {
      get { all[set] ?? RepairTrials.Coverage() }
      set { all[set] = newValue }
    }
  }

  /// The style of the plans in which costs are counted; equal for all repairs, so that costs are comparable.
  private func style() throws(LabError) -> PlanStyle {
    var options = PlanOptions()
    options.conditions = .named(trials.conditions)
    return try options.style(for: trials.system)
  }

  private func answer(
    _ set: Set<RepairChange>,
    _ search: MinimalSets<RepairChange, Plan>,
    _ coverage: RepairTrials.Coverage,
    _ style: PlanStyle
  ) throws(LabError) -> RepairReport.Answer {
    let order = DesignDecision.all.map(\.name)
    let changes = set.sorted {
      (order.firstIndex(of: $0.decision) ?? 0) < (order.firstIndex(of: $1.decision) ?? 0)
    }
    return RepairReport.Answer(
      changes: try changes.map { (change) throws(LabError) in
        let others = set.subtracting([change])
        guard let plan = search.proof(without: change, of: set),
          let violation = try trials.violation(others, by: plan)
        else {
          throw .lab("no plan shows that \(change.phrase) is needed: this is a bug in history-lab.")
        }
        return RepairReport.Reason(change: change, plan: plan, violation: violation)
      },
      subsets: try subsets(changes, search),
      cost: try trials.cost(of: set, style: style),
      coverage: coverage,
      file: DesignCodec.encode(
        trials.design.changed(by: set).named(
          trials.design.name + "-repaired",
          "\(trials.design.name) with \(changes.map { "\($0.decision) \($0.to)" }.joinedWithAnd)."
        )
      )
    )
  }

  /// Runs, for each proper subset of a minimal set, the plan that rejected the subset; smallest first.
  private func subsets(
    _ changes: [RepairChange],
    _ search: MinimalSets<RepairChange, Plan>
  ) throws(LabError) -> [RepairReport.Subset] {
    var subsets: [RepairReport.Subset] = []
    for places in MinimalSets<RepairChange, Plan>.properSubsets(of: changes.count) {
      let subset = Set(places.map { changes[$0] })
      guard let proof = search.rejections[subset],
        let violation = try trials.violation(subset, by: search.proofs[proof])
      else {
        let phrases = subset.isEmpty ? "none" : subset.map(\.phrase).sorted().joinedWithAnd
        throw .lab(
          "no plan was found that breaks \(system) with these changes alone: \(phrases). This is a bug in "
            + "history-lab."
        )
      }
      subsets.append(
        RepairReport.Subset(places: places, plan: search.proofs[proof], violation: violation)
      )
    }
    return subsets
  }

  private var system: String { trials.system.name }

  /// Returns a plan that breaks the design even with all decisions of this project's tracker, or `nil`.
  private func unrepaired(
    _ search: MinimalSets<RepairChange, Plan>
  ) throws(LabError) -> (plan: Plan, violation: Violation)? {
    let all = Set(trials.design.changesToCorner)
    guard let proof = search.rejections[all],
      let violation = try trials.violation(all, by: search.proofs[proof])
    else { return nil }
    return (search.proofs[proof], violation)
  }
}
