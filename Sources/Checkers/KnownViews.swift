import HistoryTypes
import Traces

/// For each actor's view, the state of each object when the view last read the object.
///
/// The view is the actor's first context. Conflicts of saves are computed from these states.
///
/// A view reads all objects when it is launched and when it resyncs. At other times it reads an
/// object before it first saves that object. It also reads the changes of each transaction that it
/// merges, the changes that it saves, and the results of its live queries. The states are kept only
/// for plans with a write whose policy depends on conflicts.
struct KnownViews: Sendable {
  /// The state of an object when an actor's view (its first context) last read the object.
  private struct ReadState: Sendable {
    /// The position of the transaction that inserted the object.
    ///
    /// The position distinguishes objects that had the same name one after another.
    let life: Int
    /// The position of the last transaction that wrote the object before the view read the object.
    let position: Int
    let values: Values
    /// For each reference attribute, the position of the transaction that inserted the referenced
    /// object.
    let destinations: [String: Int]
  }

  private struct View: Sendable {
    var readStates: [ObjectName: ReadState] = [:]
    /// Whether it is unknown what the view has read, because of a failure or a live query.
    var isUnsure = false
    /// The live queries that have reported a result.
    var lists: Set<Int> = []
  }

  private var views: [ActorID: View] = [:]
  /// For each existing object, the positions of the transactions that inserted and that last wrote it.
  private var lives: [ObjectName: (life: Int, position: Int)] = [:]
  private var writes: [Int: (net: [NetChange], view: ActorID?)] = [:]
  /// The references of each entity: the attributes and the entities to which they refer.
  private let references: [String: [(attribute: String, entity: String)]]

  /// The actors whose launch does not read all objects: their views read objects only to save them.
  private let partial: Set<ActorID>

  init(_ model: Model, partial: Set<ActorID>) {
    self.partial = partial
    var references: [String: [(attribute: String, entity: String)]] = [:]
    for entity in model.entities {
      for attribute in entity.attributes {
        guard let reference = attribute.reference else { continue }
        references[entity.name, default: []].append((attribute.name, reference.entity))
      }
    }
    self.references = references
  }

  /// Returns whether it is unknown which states an actor's view has read.
  ///
  /// This is unknown after a failure, after some results of live queries, and before the first launch.
  func isUnsure(_ actor: ActorID) -> Bool { views[actor]?.isUnsure ?? true }

  /// Records a write; if an actor's view saved the write, also updates what this view has read.
  ///
  /// After its save, the view reads the objects in `registered`. It reads the other objects of the
  /// write only if it has read them before. If `registered` is `nil`, the view reads all objects of
  /// the write. If `view` is `nil`, no view's states change.
  mutating func note(
    _ net: [NetChange],
    at position: Int,
    by view: ActorID?,
    registering registered: Set<ObjectName>? = nil,
    _ objects: Objects
  ) {
    writes[position] = (net, view)
    for change in net {
      let life = change.wasThere && !change.isReplacement ? lives[change.object]?.life : position
      lives[change.object] = change.isThere ? (life ?? position, position) : nil
    }
    guard let view else { return }
    for change in net {
      let isRead = registered.map { $0.contains(change.object) || has(change.object, view) } ?? true
      if isRead { see(change.object, by: view, objects) }
    }
  }

  /// Returns whether an actor's view has read the object that has the given name.
  ///
  /// If no object has the name any more, returns whether the view has read an earlier object of that
  /// name.
  private func has(_ object: ObjectName, _ view: ActorID) -> Bool {
    guard let state = views[view]?.readStates[object] else { return false }
    return lives[object].map { $0.life == state.life } ?? true
  }

  /// Updates what an actor's view has read, after a launch or a resync, which reads all objects.
  ///
  /// A partial view does not read all objects: it is empty after a launch, and in a resync it reads
  /// only the objects that it contains.
  mutating func load(_ actor: ActorID, isLaunch: Bool, _ objects: Objects) {
    guard !partial.contains(actor) else {
      if isLaunch {
        views[actor] = View()
        return
      }
      views[actor, default: View()].isUnsure = false
      let held = views[actor]?.readStates ?? [:]
      for (object, state) in held {
        if lives[object]?.life == state.life {
          see(object, by: actor, objects)
        } else {
          views[actor]?.readStates[object] = nil
        }
      }
      return
    }
    views[actor] = View(lists: isLaunch ? [] : views[actor]?.lists ?? [])
    for object in objects.keys { see(object, by: actor, objects) }
  }

  /// Updates what an actor's view has read, after it merged writes that it did not save.
  ///
  /// The view reads an object again if it last read the object before one of these writes. If it
  /// has read the object since, it keeps the state that it has read. The view also reads the
  /// objects that the writes inserted, unless it is partial: a partial view does not read all
  /// objects at its launch.
  mutating func merge(_ positions: [Int], by actor: ActorID, _ objects: Objects) {
    for position in positions {
      guard let write = writes[position], write.view != actor else { continue }
      for change in write.net {
        guard let life = lives[change.object] else { continue }
        let state = views[actor]?.readStates[change.object]
        let isStale = state.map { $0.life == life.life && $0.position < position } ?? false
        let isNew = position == life.life && state?.life != life.life && !partial.contains(actor)
        if isStale || isNew {
          see(change.object, by: actor, objects)
        }
      }
    }
  }

  /// Updates what an actor's view has read, after a live query of the view reported a result.
  ///
  /// The first result is read from the store. In a later result, an object can have its current
  /// state, or an older state that the view has read before. The reported values show which of the
  /// two it is.
  ///
  /// The values that the view has read become unknown (``isUnsure(_:)``) in three cases: the two states
  /// have the same values; the live query fails; or the view is partial, so that it does not read all
  /// objects at its launch. A partial view may have read objects that are not in the result.
  mutating func list(_ report: LiveReport, by actor: ActorID, _ objects: Objects) {
    guard report.failure == nil, !partial.contains(actor) else { return uncertainty(actor) }
    let isFirst = views[actor, default: View()].lists.insert(report.list).inserted
    for row in report.rows {
      guard let life = lives[row.object] else { continue }
      guard let state = views[actor]?.readStates[row.object], state.life == life.life else {
        see(row.object, by: actor, objects)
        continue
      }
      guard state.position < life.position else { continue }
      let isNew = row.values.isSame(as: objects[row.object] ?? [:])
      if isFirst || isNew && !row.values.isSame(as: state.values) {
        see(row.object, by: actor, objects)
      } else if isNew {
        uncertainty(actor)
      }
    }
  }

  mutating func uncertainty(_ actor: ActorID) { views[actor, default: View()].isUnsure = true }

  mutating func forget() {
    views.removeAll()
    lives.removeAll()
    writes.removeAll()
  }

  /// Records that an actor's view, which is its first context, uses an object.
  ///
  /// If the view has not read the object before, it reads the object now.
  mutating func touch(_ object: ObjectName, by actor: ActorID, _ objects: Objects) {
    guard let life = lives[object], views[actor]?.readStates[object]?.life != life.life else {
      return
    }
    see(object, by: actor, objects)
  }

  /// Returns the values that a view has read of an object, if a later write has changed the object.
  ///
  /// Otherwise the result is `nil`.
  func outdated(_ object: ObjectName, by actor: ActorID) -> Values? {
    guard let life = lives[object], let state = views[actor]?.readStates[object] else { return nil }
    guard state.position < life.position else { return nil }
    var values = state.values
    for (attribute, entity) in references[object.entity] ?? [] {
      guard let key = values[attribute]?.int else { continue }
      // If another object of the same name has replaced the referenced one, the reference is
      // invalid.
      let isSame = lives[ObjectName(entity, key)]?.life == state.destinations[attribute]
      if !isSame { values[attribute] = .int(Int64.min + key) }
    }
    return values
  }

  mutating func see(_ object: ObjectName, by actor: ActorID, _ objects: Objects) {
    let values = objects[object] ?? [:]
    let state = lives[object].map {
      ReadState(
        life: $0.life,
        position: $0.position,
        values: values,
        destinations: destinations(of: object, values)
      )
    }
    views[actor, default: View()].readStates[object] = state
  }

  private func destinations(of object: ObjectName, _ values: Values) -> [String: Int] {
    guard let references = references[object.entity] else { return [:] }
    var destinations: [String: Int] = [:]
    for (attribute, entity) in references {
      guard let key = values[attribute]?.int else { continue }
      destinations[attribute] = lives[ObjectName(entity, key)]?.life
    }
    return destinations
  }
}
