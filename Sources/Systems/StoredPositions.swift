import HistoryTypes
import Traces

/// The stored positions of all authors or processes, by the place where a design stores them.
///
/// Positions remain when processes end.
struct StoredPositions {
  /// The name of a position: an author, and also a process if each process has its own position.
  struct Key: Hashable, Comparable {
    var author: String
    var process: ActorID?

    static func < (left: Key, right: Key) -> Bool {
      (left.author, left.process?.name ?? "") < (right.author, right.process?.name ?? "")
    }
  }

  /// The positions in each place, by the actor that owns the place; `nil` is the shared place.
  private var all: [ActorID?: [Key: StoredPosition]] = [:]

  /// Returns the position with a key in an owner's place; `nil` if none is stored there.
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

  mutating func set(_ position: StoredPosition, of key: Key, in owner: ActorID?) {
    all[owner, default: [:]][key] = position
  }

  /// Removes the position with a key from an owner's place.
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

/// The rule by which a design chooses the bound before which a purge deletes.
enum PurgeBound: String, DesignChoice {
  /// The least position if all authors or processes that the purge waits for have one; else none.
  case everyone
  /// The least position if all have one; otherwise seven days ago if the oldest position is older.
  case everyoneOrAge
  /// The least of the stored positions.
  case known
  /// The least of the stored positions, or seven days ago if there are none.
  case knownOrAge
  /// Seven days ago.
  case age

  var sentence: String {
    switch self {
    case .everyone: "purges before the least position, once every author or process has one"
    case .everyoneOrAge:
      "purges before the least position once every author or process has one, else what is older "
        + "than seven days"
    case .known: "purges before the least of the stored positions"
    case .knownOrAge:
      "purges before the least of the stored positions, else what is older than seven days"
    case .age: "purges what is older than seven days"
    }
  }

  /// The age limit of purges: seven days, in seconds.
  static let maximumAge = 604_800.0

  /// Whether the rule compares the times of positions with the clock.
  var usesAge: Bool { self != .everyone && self != .known }

  /// Returns the bound, or `nil` if no transaction may be deleted.
  ///
  /// `positions` has one element for each author or process that the purge waits for; `nil` is no position.
  func point(
    _ positions: [StoredPosition?],
    _ kind: PositionKind,
    now: Date
  ) -> PurgePoint? {
    let known = positions.compactMap(\.self)
    let limit = now.addingTimeInterval(-Self.maximumAge)
    let least = known.map { $0.point(kind) }.min()
    let isWhole = known.count == positions.count
    return switch self {
    case .everyone: isWhole ? least : nil
    case .everyoneOrAge:
      least.flatMap { least in
        if isWhole { return least }
        let oldest = known.map(\.date).min()
        return oldest.map { $0 < limit } == true ? .date(limit) : nil
      }
    case .known: least
    case .knownOrAge: least ?? .date(limit)
    case .age: .date(limit)
    }
  }
}

/// A bound before which a purge deletes.
enum PurgePoint: Hashable, Comparable {
  case date(Date)
  case number(Int64)
}

/// A position in history: a transaction's token and its time.
struct StoredPosition: Hashable {
  var token: HistoryToken
  var date: Date

  var number: Int64 { token.number }

  /// Returns the position as the bound of a purge, by date or by number.
  func point(_ kind: PositionKind) -> PurgePoint {
    kind == .date ? .date(date) : .number(number)
  }
}
