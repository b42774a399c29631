import PersistentHistory
import Traces

/// What a plan has done so far, as far as its next command depends on it.
struct PlanState {
  /// The places of the actors that run.
  private(set) var running: Set<Int> = []
  /// The places of the actors that have begun a write.
  private(set) var staging: Set<Int> = []
  private var live: Set<ObjectName> = []

  init(_ header: PlanHeader) {
    running = Set(header.actors.indices.filter { header.actors[$0].launched })
  }

  /// The places of the actors that may do something.
  func eligible(for action: PlanAction, of count: Int) -> [Int] {
    (0..<count).filter { place in
      switch action {
      case .launch: !running.contains(place)
      case .begin: running.contains(place) && !staging.contains(place)
      case .commit: staging.contains(place)
      case .clock: true
      default: running.contains(place)
      }
    }
  }

  /// The object with a key, or with the next one up and around, that is there or is not; nothing when
  /// there is none.
  func object(
    _ entity: String,
    from key: Int64,
    through most: Int64,
    isLive: Bool
  ) -> ObjectName? {
    for step in 0..<most {
      let object = ObjectName(entity, (key - 1 + step) % most + 1)
      if live.contains(object) == isLive { return object }
    }
    return nil
  }

  mutating func note(_ action: PlanAction, by place: Int) {
    switch action {
    case .launch: running.insert(place)
    case .stop, .crash, .retire:
      running.remove(place)
      staging.remove(place)
    case .begin: staging.insert(place)
    case .commit: staging.remove(place)
    default: break
    }
  }

  mutating func note(_ change: PlannedChange) {
    if change.type == .delete { live.remove(change.object) } else { live.insert(change.object) }
  }
}
