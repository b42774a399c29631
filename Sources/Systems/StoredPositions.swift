import HistoryTypes
import Traces

/// The stored positions of all authors or processes, by the place where a design stores them.
///
/// Positions remain when processes end.
struct StoredPositions {
  /// The name of a position: its author, and its process if each process has its own.
  struct Key: Hashable, Comparable {
    var author: String
    var process: ActorID?

    static func < (left: Key, right: Key) -> Bool {
      (left.author, left.process?.name ?? "") < (right.author, right.process?.name ?? "")
    }
  }

  /// The positions in each place, by the place's owner; `nil` is the place that all processes share.
  private var all: [ActorID?: [Key: StoredPosition]] = [:]

  /// Returns a position from an owner's place; `nil` if none is stored.
  func position(of key: Key, in owner: ActorID?) -> StoredPosition? { all[owner]?[key] }

  /// Returns the least position of an author's processes; `nil` if none is stored.
  func position(
    ofAuthor author: String,
    in owner: ActorID?,
    _ kind: PositionKind
  )
    -> StoredPosition?
  {
    (all[owner] ?? [:]).filter { $0.key.author == author }.map(\.value)
      .min { $0.point(kind) < $1.point(kind) }
  }

  /// Stores a position.
  mutating func set(_ position: StoredPosition, of key: Key, in owner: ActorID?) {
    all[owner, default: [:]][key] = position
  }

  /// Removes a position.
  mutating func remove(_ key: Key, in owner: ActorID?) { all[owner]?[key] = nil }

  /// Removes all positions in one place.
  mutating func removeAll(in owner: ActorID?) { all[owner] = nil }

  /// Adds each position to the state, in the section of the process or author that owns it.
  func describe(_ state: inout StateSketch, _ design: TrackingDesign) {
    let usesAge = design.bound.usesAge || design.boundByCommand?.usesAge == true
    for (owner, known) in all.sorted(by: { ($0.key?.name ?? "") < ($1.key?.name ?? "") }) {
      for (key, position) in known.sorted(by: { $0.key < $1.key }) {
        if let owner {
          state.enter(owner)
          state.add(author: key.author)
        } else if let process = key.process {
          state.enter(process)
        } else {
          state.enter(author: key.author)
        }
        if design.position == .number { state.add(number: position.number) }
        if design.position == .date || usesAge {
          state.add(time: position.date.timeIntervalSinceReferenceDate)
        }
      }
    }
    state.enter(nil)
  }
}
