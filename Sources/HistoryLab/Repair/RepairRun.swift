import Basics
import Checkers
import Commands
import HistoryTypes
import Systems
import Traces
import Workloads

/// Searches for the smallest sets of changes that repair a design, and measures their costs.
struct RepairRun {
  let trials: RepairTrials
  let changeCountMax: Int
  /// Called with the number of newly decided sets of changes and a note about the current step.
  ///
  /// A set of changes to the design is decided once it is rejected by a plan or found minimal.
  let progress: @Sendable (_ decided: Int, _ note: String?) -> Void

  /// Searches for minimal sets of changes to the design, and reports them with costs and proofs.
  ///
  /// The proofs show that each set is minimal: no proper subset of its changes is a repair.
  ///
  /// - Throws: a lab error when a design cannot be run, or the work was interrupted.
  func report(seconds: () -> Double) async throws(LabError) -> RepairReport {
    let coverage = CoverageTable()
    let costs = CostTable()
    let style = try style()
    var search = search(coverage, costs, style)
    try await search.search(upTo: changeCountMax)
    var larger: Set<RepairChange>?
    if !search.isSolved { larger = try await search.reduce(trials.design.changesToCorner) }
    let found = search.minimal + [search.purging, larger].compactMap(\.self)
    try await costs.measure(found + [[]], trials, style)
    func answer(_ set: Set<RepairChange>) throws(LabError) -> RepairReport.Answer {
      try self.answer(set, search, coverage[set], costs[set])
    }
    var answers: [RepairReport.Answer] = []
    for set in search.minimal { answers.append(try answer(set)) }
    return RepairReport(
      system: trials.system.name,
      conditions: trials.conditions,
      limits: trials.limits,
      changeCountMax: changeCountMax,
      mustPurge: trials.mustPurge,
      answers: answers,
      purging: try search.purging.map(answer),
      larger: try larger.map(answer),
      unrepaired: answers.isEmpty && larger == nil ? try unrepaired(search) : nil,
      cost: costs[[]],
      rejectedCount: search.rejections.count,
      verifiedCount: search.verifiedCount,
      planCount: search.proofs.count,
      seconds: seconds()
    )
  }

  private func search(
    _ coverage: CoverageTable,
    _ costs: CostTable,
    _ style: PlanStyle
  ) -> MinimalSets<RepairChange, Plan> {
    let (trials, progress) = (trials, progress)
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
    if trials.mustPurge {
      search.purges = { sets throws(LabError) in
        progress(0, "measuring the purges of \(sets.count.counted("set"))")
        try await costs.measure(sets, trials, style)
        return sets.map { trials.purging($0, costs[$0]) != .never }
      }
    }
    var decided = 0
    search.progress = { count in
      progress(count - decided, nil)
      decided = count
    }
    return search
  }

  /// The extent of the exploration of each changed design that no plan broke, by set of changes.
  private final class CoverageTable {
    private var all: [Set<RepairChange>: RepairTrials.Coverage] = [:]

    subscript(set: Set<RepairChange>) -> RepairTrials.Coverage {
      get { all[set] ?? RepairTrials.Coverage() }
      set { all[set] = newValue }
    }
  }

  /// The costs of each changed design for which they were counted, by set of changes.
  private final class CostTable {
    private var all: [Set<RepairChange>: RepairCost] = [:]

    subscript(set: Set<RepairChange>) -> RepairCost { all[set] ?? RepairCost() }

    /// Counts the costs of the changed design for each of `sets` that is not in this table.
    func measure(
      _ sets: [Set<RepairChange>],
      _ trials: RepairTrials,
      _ style: PlanStyle
    ) async throws(LabError) {
      let missing = sets.filter { all[$0] == nil }.uniqued
      for (set, cost) in zip(missing, try await trials.costs(of: missing, style: style)) {
        all[set] = cost
      }
    }
  }

  /// Returns the style of the plans in which costs are counted.
  ///
  /// The style is equal for all repairs, so that their costs are comparable.
  private func style() throws(LabError) -> PlanStyle {
    var options = PlanOptions()
    options.conditions = .named(trials.conditions)
    return try options.style(for: trials.system)
  }

  private func answer(
    _ set: Set<RepairChange>,
    _ search: MinimalSets<RepairChange, Plan>,
    _ coverage: RepairTrials.Coverage,
    _ cost: RepairCost
  ) throws(LabError) -> RepairReport.Answer {
    let order = DesignDecision.all.map(\.name)
    let changes = set.sorted {
      (order.firstIndex(of: $0.decision) ?? 0) < (order.firstIndex(of: $1.decision) ?? 0)
    }
    return RepairReport.Answer(
      changes: try changes.map { (change) throws(LabError) in
        let others = set.subtracting([change])
        return RepairReport.Reason(
          change: change,
          proof: try proof(against: others, search),
          file: file(of: others, named: "\(trials.design.name)-without-\(change.decision)")
        )
      },
      subsets: try subsets(changes, search),
      cost: cost,
      purging: trials.purging(set, cost),
      coverage: coverage,
      file: file(of: set, named: "\(trials.design.name)-repaired")
    )
  }

  /// Returns the text of the changed design's file; for an empty set, that of the unchanged design.
  private func file(of set: Set<RepairChange>, named name: String) -> String {
    guard !set.isEmpty else { return DesignCodec.encode(trials.design) }
    let words = DesignDecision.all.compactMap { decision in
      set.first { $0.decision == decision.name }.map { "\($0.decision) \($0.to)" }
    }
    let sentence = "\(trials.design.name) with \(words.joinedWithAnd)."
    return DesignCodec.encode(trials.design.changed(by: set).named(name, sentence))
  }

  /// Returns the proof that a set of changes to the design is no repair.
  ///
  /// Either a plan breaks the changed design, or the changed design never purges, although it must.
  private func proof(
    against set: Set<RepairChange>,
    _ search: MinimalSets<RepairChange, Plan>
  ) throws(LabError) -> RepairReport.Proof {
    if let index = search.rejections[set],
      let violation = try trials.violation(set, by: search.proofs[index])
    {
      return .breaks(search.proofs[index], violation)
    }
    if search.idle.contains(set) { return .neverPurges }
    let phrases = set.isEmpty ? "none" : set.map(\.phrase).sorted().joinedWithAnd
    throw .lab(
      "no plan was found that breaks \(system) with only these changes of its design: \(phrases). This is a bug in "
        + "history-lab."
    )
  }

  /// Returns every proper subset of the changes, the smallest first.
  ///
  /// Each subset has a proof that it does not repair the design.
  private func subsets(
    _ changes: [RepairChange],
    _ search: MinimalSets<RepairChange, Plan>
  ) throws(LabError) -> [RepairReport.Subset] {
    try MinimalSets<RepairChange, Plan>.properSubsets(of: changes.count).map {
      places throws(LabError) in
      let set = Set(places.map { changes[$0] })
      return RepairReport.Subset(places: places, proof: try proof(against: set, search))
    }
  }

  private var system: String { trials.system.name }

  /// Returns a plan that breaks the design even if the design is changed to match the tracker.
  ///
  /// In the changed design, all decisions that `repair` may change have the choices of this
  /// project's tracker. The result is `nil` if no such plan is known.
  private func unrepaired(
    _ search: MinimalSets<RepairChange, Plan>
  ) throws(LabError) -> RepairReport.Unrepaired? {
    let all = Set(trials.design.changesToCorner)
    guard search.rejections[all] != nil,
      case .breaks(let plan, let violation) = try proof(against: all, search)
    else { return nil }
    return RepairReport.Unrepaired(
      plan: plan,
      violation: violation,
      file: file(of: all, named: "\(trials.design.name)-like-the-tracker")
    )
  }
}
