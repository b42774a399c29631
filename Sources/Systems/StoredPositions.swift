import HistoryTypes
import Traces

/// The places where designs keep the positions of their authors or processes.
///
/// They outlive every process.
struct StoredPositions {
  /// The name of a position: its author, and its process if each process has its own.
  struct Key: Hashable, Comparable {
    var author: String
    var process: ActorID?

    static func < (left: Key, right: Key) -> Bool {
      (left.author, left.process?.name ?? "") < (right.author, right.process?.name ?? "")
    }
  }

  /// The positions for each owner of a place: an actor, or `nil` for the one that all share.
  private var all: [ActorID?: [Key: StoredPosition]] = [:]

  /// Returns a position in the place of an owner, or `nil`.
  func position(of key: Key, in owner: ActorID?) -> StoredPosition? { all[owner]?[key] }

  /// Returns the least position of an author's processes, or `nil` if none is known.
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

  /// Removes all positions of one place.
  mutating func removeAll(in owner: ActorID?) { all[owner] = nil }

  /// Adds each position to the section of the place's owner, or else of the process or the author.
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
