import Commands
import Simulation
import Systems
import Traces
import Workloads

/// The costs of a tracking design in a fixed set of plans, such as its number of fetches.
struct RepairCost: Hashable, Sendable {
  /// The number of fetches; reports call it `passes`, because each pass begins with a fetch.
  var passes = 0
  /// The number of merged transactions; a transaction that is merged twice counts twice.
  var merges = 0
  /// The number of times that an actor stored the position up to which it has merged.
  var records = 0
  /// The number of transactions purged.
  var purged = 0
  /// The number of transactions in history at the end of each plan, summed over all plans.
  var kept = 0

  init() {}

  /// The maximum number of plans in which a design's costs, such as its fetches, are counted.
  ///
  /// If `repair` runs fewer random plans, the costs are counted in that smaller number of plans.
  static let planCountMax = 200

  /// Counts a design's costs in the first `planCount` plans that are generated with `style`.
  ///
  /// - Throws: a lab error when a plan cannot be run.
  init(
    of system: LabSystem,
    style: PlanStyle,
    plans planCount: Int,
    versions: [String: String]
  ) throws(LabError) {
    let place = StorePlace.heap()
    let worker = PlanWorker(system, at: place, versions: versions)
    defer {
      worker.close()
      place.removeStore()
    }
    let recipe = PlanRecipe(
      generator: PlanGenerator(style),
      seed: 1,
      timestamps: system.timestamps
    )
    for number in 1...planCount {
      if Interruption.isRequested { throw .interrupted }
      do throws(SystemFailure) {
        count(try worker.trace(recipe.plan(number).plan))
      } catch {
        throw .lab("plan \(number) could not be run on \(system.name): \(error.message)")
      }
    }
  }

  private mutating func count(_ trace: Trace) {
    var last = 0
    for event in trace.events {
      switch event.kind {
      case .fetched: passes += 1
      case .merged(let names): merges += names.count
      case .recorded(.some): records += 1
      case .purged(let names): purged += names.count
      case .history(let held): last = held.count
      default: break
      }
    }
    kept += last
  }

  /// The counts with their names, in the order of the table rows.
  var rows: [(name: String, count: Int)] {
    [
      ("passes", passes), ("transactions merged", merges), ("positions stored", records),
      ("transactions purged", purged), ("transactions kept", kept),
    ]
  }
}
