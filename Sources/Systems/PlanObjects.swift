import HistoryStore
import PersistentHistory
import Traces

/// Which object of the store each name of a plan stands for.
///
/// The lab's own bookkeeping, not part of any process: a crash does not lose it.
struct PlanObjects {
  private var ids: [ObjectName: ObjectID] = [:]
  private var names: [ObjectID: ObjectName] = [:]

  /// Remembers that a name now stands for an object.
  mutating func enter(_ name: ObjectName, _ id: ObjectID) {
    ids[name] = id
    names[id] = name
  }

  /// The object that a name stands for, whether it is still there or not.
  func id(_ name: ObjectName) -> ObjectID? { ids[name] }

  /// The name of an object; one that no plan named has its own key, below zero.
  func name(_ id: ObjectID, in model: Model) -> ObjectName {
    names[id] ?? ObjectName(model.entity(id.entity)?.name ?? "?", -id.key)
  }
}

extension SystemFailure {
  /// What a store's error means to a plan.
  init(_ error: HistoryError) {
    let code: Code =
      switch error {
      case _ where error.isBusy: .busy
      case _ where error.isFull: .full
      case _ where error.isInputOutput: .io
      case .conflict: .conflict
      case .expired, .lost: .expired
      case .rewound, .otherStore: .rewound
      case .superseded: .superseded
      case .inUse: .inUse
      default: .failed
      }
    self.init(code, error.description)
  }
}

/// Runs what may throw a store's error, and throws what it means to a plan.
func telling<Result>(
  _ body: () throws(HistoryError) -> Result
) throws(SystemFailure) -> Result {
  do { return try body() } catch { throw SystemFailure(error) }
}
