package import HistoryStore
import PersistentHistory
package import Traces

/// Which object of the store each name of a plan stands for.
///
/// The lab's own bookkeeping, not part of any process: a crash does not lose it.
struct PlanObjects {
  private var ids: [ObjectName: ObjectID] = [:]
  private var names: [ObjectID: ObjectName] = [:]
  /// What the names of a write that is under way stand for if it takes effect.
  private var attempted: [ObjectName: ObjectID] = [:]
  /// The names of a batch request that is under way, in the order in which they get their keys.
  private var awaitingKeys: [ObjectName] = []

  /// Remembers that a name now stands for an object.
  mutating func enter(_ name: ObjectName, _ id: ObjectID) {
    ids[name] = id
    names[id] = name
  }

  /// Notes what names stand for if the write that begins takes effect.
  mutating func attempt(_ inserted: [ObjectName: ObjectID], awaitingKeys names: [ObjectName] = []) {
    attempted = inserted
    awaitingKeys = names
  }

  /// Forgets the names of all objects but those that are there or that history tells of, and lets those
  /// that a write was about to insert have the objects that it did.
  mutating func settle(present: Set<ObjectID>, told: Set<ObjectID>, inserted: [ObjectID]) {
    names = names.filter { present.contains($0.key) || told.contains($0.key) }
    ids = ids.filter { names[$0.value] != nil }
    // One that is there again may have lost its name to another meanwhile.
    for id in present {
      if let name = names[id] { ids[name] = id }
    }
    let byID = Dictionary(attempted.map { ($1, $0) }) { first, _ in first }
    var waiting = awaitingKeys.makeIterator()
    for id in inserted {
      if let name = byID[id] ?? waiting.next() { enter(name, id) }
    }
    attempt([:])
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
  package init(_ error: HistoryError) {
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
