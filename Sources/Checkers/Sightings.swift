import PersistentHistory
import Traces

/// What each actor's view knows of each object: it decides which saves meet a conflict.
///
/// A view reads everything when it is launched and when it resyncs, an object that it does not know
/// when a save touches it, and what a transaction changed when it merges that one. Its own saves it
/// knows. Kept only for plans with a write whose policy asks.
struct Sightings: Sendable {
  /// What a view saw of an object.
  private struct Sight: Sendable {
    /// The write that inserted the object: a name may stand for one object after another.
    let life: Int
    /// The last write that the view has seen of it.
    let position: Int
    let values: Values
  }

  private struct View: Sendable {
    var sights: [ObjectName: Sight] = [:]
    /// Whether something failed that may have changed what the view knows.
    var isUnsure = false
  }

  private var views: [ActorID: View] = [:]
  /// The write that inserted each object that is there, and the last one that touched it.
  private var lives: [ObjectName: (life: Int, position: Int)] = [:]
  private var writes: [Int: (net: [NetChange], view: ActorID?)] = [:]

  /// Whether nobody can say what an actor's view knows.
  func isUnsure(_ actor: ActorID) -> Bool { views[actor]?.isUnsure ?? true }

  /// Takes a write in; the view that made it now knows what it wrote.
  mutating func note(
    _ net: [NetChange],
    at position: Int,
    by view: ActorID?,
    _ objects: Objects
  ) {
    writes[position] = (net, view)
    for change in net {
      let life = change.wasThere && !change.isReplacement ? lives[change.object]?.life : position
      lives[change.object] = change.isThere ? (life ?? position, position) : nil
    }
    guard let view else { return }
    for change in net { see(change.object, by: view, objects) }
  }

  /// The view reads everything.
  mutating func load(_ actor: ActorID, _ objects: Objects) {
    views[actor] = View()
    for object in objects.keys { see(object, by: actor, objects) }
  }

  /// The view reads what some writes of others changed, unless it knows of something newer.
  mutating func merge(_ positions: [Int], by actor: ActorID, _ objects: Objects) {
    for position in positions {
      guard let write = writes[position], write.view != actor else { continue }
      for change in write.net {
        guard let life = lives[change.object] else { continue }
        let sight = views[actor]?.sights[change.object]
        let isStale = sight.map { $0.life == life.life && $0.position < position } ?? false
        if isStale || position == life.life && sight?.life != life.life {
          see(change.object, by: actor, objects)
        }
      }
    }
  }

  mutating func doubt(_ actor: ActorID) { views[actor, default: View()].isUnsure = true }

  mutating func forget() {
    views.removeAll()
    lives.removeAll()
    writes.removeAll()
  }

  /// The view reads an object that it does not know; one that it knows stays as it saw it.
  mutating func touch(_ object: ObjectName, by actor: ActorID, _ objects: Objects) {
    guard let life = lives[object], views[actor]?.sights[object]?.life != life.life else { return }
    see(object, by: actor, objects)
  }

  /// The values that a view saw of an object which somebody has changed since; nothing if nobody has.
  func outdated(_ object: ObjectName, by actor: ActorID) -> Values? {
    guard let life = lives[object], let sight = views[actor]?.sights[object] else { return nil }
    return sight.position < life.position ? sight.values : nil
  }

  mutating func see(_ object: ObjectName, by actor: ActorID, _ objects: Objects) {
    let sight = lives[object].map {
      Sight(life: $0.life, position: $0.position, values: objects[object] ?? [:])
    }
    views[actor, default: View()].sights[object] = sight
  }
}
