import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws how the store writes in a plan whose power goes: often copying the log into the file, so
  /// that a power-off meets that too.
  func storage(_ header: inout PlanHeader, _ source: inout ChoiceSource) {
    if style.setup?.synchronous == nil, source.bool(probability: 0.5, label: "full") {
      header.synchronous = .full
    }
    let pages = [nil, 4, 8, 16, 32, 64][source.weighted([1, 2, 3, 3, 2, 1], label: "checkpoint")]
    header.checkpointPages = pages
  }

  /// Draws what goes wrong during a command, seldom anything; the rarer the kind of command, the more
  /// often, so that each meets every kind of power-off.
  func faults(
    _ source: inout ChoiceSource,
    during action: PlanAction,
    _ draft: PlanDraft
  ) -> [PlannedFault] {
    guard draft.active.contains(.powerOff) else { return [] }
    // A pass is four commands in one.
    let weight = Double(action.weight) / (action == .pass ? 2 : 1)
    let share = min(Self.rareShare, Self.weightedShare / weight)
    guard source.bool(probability: share, label: "power-off") else { return [] }
    return [source.span("power-off") { powerOff(&$0) }]
  }

  /// A plan of forty commands loses its power two or three times.
  private static let weightedShare = 0.6
  private static let rareShare = 0.15

  private func powerOff(_ source: inout ChoiceSource) -> PlannedFault {
    let isTorn = source.bool(probability: 0.6, label: "torn")
    // Most calls are writes to the log; a checkpoint writes to the file, and syncs both.
    let (file, call) = Self.places[source.weighted([10, 3, 4, 3, 2, 1, 1], label: "call")]
    let most = call == .write ? 24 : call == .lock ? 12 : 3
    return PlannedFault(
      kind: isTorn ? .torn : .powerOff,
      file: file,
      call: call,
      k: source.int(in: 1...most),
      seed: isTorn ? source.int(in: 0...9_999) : 0
    )
  }

  private static let places: [(PlannedFault.File, PlannedFault.Call)] = [
    (.wal, .write), (.wal, .sync), (.main, .write), (.main, .sync), (.shm, .lock), (.main, .read),
    (.wal, .truncate),
  ]
}

extension Command {
  /// Whether everyone is down after it.
  var losesPower: Bool { faults.contains { $0.kind.isPowerOff } }
}
