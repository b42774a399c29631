import Systems
import Workloads

extension Condition {
  /// The capability that a system needs for the condition; `nil` if it needs none.
  var need: Capability? {
    switch self {
    case .ties, .clockBack, .clockJump, .pause: .clock
    case .stampBeforeCommit: .begin
    case .crash: .crash
    case .lostNotification: .signals
    case .sameActorTwice: .twice
    case .backgroundWrites: .batch
    case .absentAuthor: .nullAuthor
    case .configSkew: .config
    case .mirrorLag: .consume
    case .hookFailure: .hooks
    case .retention: .retention
    case .powerOff: .powerOff
    case .callFailure: .faults
    case .steady, .restart, .sameAuthorTwice, .lateJoin: nil
    }
  }
}

extension LabSystem {
  /// The conditions for which the system has the capability.
  var conditions: Set<Condition> {
    Set(Condition.allCases).filter { $0.need.map(capabilities.contains) ?? true }
  }

  /// The kinds of commands that the system supports.
  var actions: Set<PlanAction> {
    let steps: Set<PlanAction> = [.fetch, .merge, .record]
    return Set(PlanAction.allCases).filter { action in
      switch action {
      case .purge: capabilities.contains(.purge)
      case .poll: capabilities.contains(.poll)
      case .resync: capabilities.contains(.resync)
      case .belated: capabilities.contains(.belated)
      default: capabilities.contains(.steps) || !steps.contains(action)
      }
    }
  }
}
