package import HistoryStore
import HistoryTypes
package import Traces

/// The mapping between a plan's object names and the store's object identifiers.
///
/// Only the lab uses this mapping. No process contains it, so crashes do not affect it.
struct PlanObjects {
  private var ids: [ObjectName: ObjectID] = [:]
  private var names: [ObjectID: ObjectName] = [:]
  /// The objects that the plan's names will denote if the write in progress commits.
  private var attempted: [ObjectName: ObjectID] = [:]
  /// The names of objects that a batch request in progress inserts, in the order of their keys.
  private var awaitingKeys: [ObjectName] = []

  /// Maps a name to an object.
  mutating func enter(_ name: ObjectName, _ id: ObjectID) {
    ids[name] = id
    names[id] = name
  }

  /// Records the objects that the plan's names will denote if the write that starts now commits.
  mutating func attempt(_ inserted: [ObjectName: ObjectID], awaitingKeys names: [ObjectName] = []) {
    attempted = inserted
    awaitingKeys = names
  }

  /// Reconciles the names with the store after a write whose outcome was unknown.
  ///
  /// Keeps only objects that are in the data or in history. The objects that the write inserted get the
  /// names that the plan gave them.
  mutating func reconcile(present: Set<ObjectID>, reported: Set<ObjectID>, inserted: [ObjectID]) {
    names = names.filter { present.contains($0.key) || reported.contains($0.key) }
    ids = ids.filter { names[$0.value] != nil }
    // Another object may have taken the name of an object that is now in the data again.
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

  /// Returns the object that a name denotes, whether or not it still exists.
  func id(_ name: ObjectName) -> ObjectID? { ids[name] }

  /// Returns all objects that a name has denoted, one after another.
  ///
  /// - Complexity: linear in the objects of the plan.
  func ids(_ name: ObjectName) -> [ObjectID] { names.filter { $0.value == name }.keys.sorted() }

  /// Returns the plan's name of an object; an object without a name gets its negated key.
  func name(_ id: ObjectID, in model: Model) -> ObjectName {
    names[id] ?? ObjectName(model.entity(id.entity)?.name ?? "?", -id.key)
  }
}

extension SystemFailure {
  /// Converts a store's error into a plan's failure.
  package init(_ error: HistoryError) {
    let code: Code =
      switch error.code {
      case _ where error.isBusy: .busy
      case _ where error.isFull: .full
      case _ where error.isInputOutput: .io
      case .conflict: .conflict
      case .expired, .lost: .expired
      case .rewound, .otherStore: .rewound
      case .superseded: .superseded
      case .inUse: .inUse
      case .suspended: .suspended
      default: .failed
      }
    self.init(code, error.description)
  }
}

/// Runs a closure, and converts a store's error into a plan's failure.
func mappingErrors<Result>(
  _ body: () throws(HistoryError) -> Result
) throws(SystemFailure) -> Result {
  do { return try body() } catch { throw SystemFailure(error) }
}
