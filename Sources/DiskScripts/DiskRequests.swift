package import HistoryStore
import HistoryTypes
package import Traces

extension PlannedQuery {
  /// Runs the scripts of this request, each in a temporary folder of its own.
  ///
  /// An error that ends a script also counts as an unmet expectation, because a plan's faults do not
  /// affect files on disk.
  ///
  /// - Parameters:
  ///   - store: the plan's store; the scripts take its model and configuration.
  ///   - patience: the maximum time, in milliseconds, for which a script waits for another thread.
  /// - Returns: the unmet expectations, one line each; `nil` if the request has no script.
  /// - Throws: ``SystemFailure`` if no temporary folder can be made.
  package func diskFaults(
    beside store: Store,
    patience: Int
  ) throws(SystemFailure) -> [String]? {
    let seed = page
    return switch form {
    case .watch:
      try faults(of: WatchScript(store: store, pausing: seed == 1, patience: patience))
    case .large: try faults(of: LargeBatchScript(store: store, seed: seed))
    case .values:
      try faults(of: ValueScript(store: store, seed: seed))
        + faults(of: RecordScript(store: store, seed: seed))
    case .purges:
      try faults(of: PurgeScript(store: store, seed: seed))
        + faults(of: LimitScript(store: store, seed: seed))
    case .damage: try faults(of: DamageScript(store: store, seed: seed))
    case .passes: try faults(of: PassScript(store: store, seed: seed))
    case .models: try faults(of: ModelScript(store: store, seed: seed))
    case .suspension:
      try faults(of: SuspensionScript(store: store, seed: seed, patience: patience))
    case .foreign: try faults(of: ForeignWriteScript(store: store, seed: seed))
    case .containers: try faults(of: ContainerScript(store: store, seed: seed))
    case .lists:
      try faults(of: LiveListScript(store: store, seed: seed))
        + faults(of: LargeListScript(store: store, seed: seed))
    case .edits:
      try faults(of: UndoScript(store: store, seed: seed))
        + faults(of: PinScript(store: store, seed: seed))
    case .orders:
      try faults(of: OrderScript(store: store, seed: seed))
        + faults(of: LinkScript(store: store, seed: seed))
    case .conflicts:
      try faults(of: ConflictScript(store: store, seed: seed))
        + faults(of: SaveRuleScript(store: store, seed: seed))
    case .aggregates:
      try faults(of: AggregateScript(store: store, seed: seed))
        + faults(of: QueryScript(store: store, seed: seed))
    case .upgrades: try faults(of: UpgradeScript(store: store, seed: seed))
    case .duplicates:
      try faults(of: DuplicateScript(store: store, seed: seed))
        + faults(of: TrackerScript(store: store, seed: seed))
    case .edges:
      try faults(of: TriggerScript(store: store, seed: seed))
        + faults(of: PurgeEdgeScript(store: store, seed: seed))
        + faults(of: StorageScript(store: store, seed: seed))
    default: nil
    }
  }

  private func faults<Script: DiskScript>(
    of script: Script
  ) throws(SystemFailure) -> [String] {
    let folder = try ScratchFolder()
    var script = script
    do throws(HistoryError) {
      try script.run(folder)
    } catch {
      script.faults.append("the script ends with \(error)")
    }
    script.expectClosed(folder)
    return script.faults.lines
  }
}
