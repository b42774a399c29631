import HistoryTypes
import Traces

/// The stored positions of authors or processes.
///
/// An actor has a storage of its own for positions, such as its own `UserDefaults`, or uses the
/// storage that all actors share. Positions remain when processes end.
struct StoredPositions {
  /// The key of a position: an author, and the process if each process has a position of its own.
  struct Key: Hashable, Comparable {
    var author: String
    var process: ActorID?

    static func < (left: Key, right: Key) -> Bool {
      (left.author, left.process?.name ?? "") < (right.author, right.process?.name ?? "")
    }
  }

  /// The positions in each actor's own storage and, under the key `nil`, in the shared storage.
  private var all: [ActorID?: [Key: StoredPosition]] = [:]

  /// Returns the position that is stored under a key; `nil` if there is none.
  ///
  /// Looks only in the storage of the actor `owner`, or in the shared one if `owner` is `nil`.
  func position(of key: Key, in owner: ActorID?) -> StoredPosition? { all[owner]?[key] }

  /// Returns the least position that an author's processes have stored; `nil` if they have none.
  ///
  /// Looks only in the storage of the actor `owner`, or in the shared one if `owner` is `nil`.
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

  /// Removes a position from the storage of the actor `owner`, or from the shared one if `nil`.
  mutating func remove(_ key: Key, in owner: ActorID?) { all[owner]?[key] = nil }

  /// Removes all positions from the storage of the actor `owner`, or from the shared one if `nil`.
  mutating func removeAll(in owner: ActorID?) { all[owner] = nil }

  /// Adds each position to `state`, in the section of the actor or author to which it belongs.
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

/// The rule that decides how far a purge deletes: up to a position, or up to an age.
enum PurgeBound: String, DesignChoice {
  /// A purge deletes up to the least position, but only once all authors or processes have one.
  case everyone
  /// A purge deletes up to the least position once all authors or processes have one.
  ///
  /// Until then, a purge deletes the transactions that are older than seven days, but only if the
  /// oldest stored position is older than seven days, too.
  case everyoneOrAge
  /// A purge deletes up to the least stored position.
  ///
  /// Authors or processes without a position are ignored.
  case known
  /// A purge deletes up to the least stored position.
  ///
  /// Authors or processes without a position are ignored. If no position is stored, a purge deletes
  /// everything older than seven days.
  case knownOrAge
  /// A purge deletes everything older than seven days.
  case age

  var sentence: String {
    switch self {
    case .everyone: "purges before the least position, once every author or process has one"
    case .everyoneOrAge:
      "purges before the least position once every author or process has one, and until then what is "
        + "older than seven days, but only if a stored position is that old"
    case .known: "purges before the least of the stored positions"
    case .knownOrAge:
      "purges before the least of the stored positions, or what is older than seven days if none is stored"
    case .age: "purges what is older than seven days"
    }
  }

  /// The default age limit of purges, which an actor can override: seven days, in seconds.
  static let maximumAge = 604_800.0

  /// Whether the age of transactions may decide how far a purge deletes, instead of a position.
  var usesAge: Bool { self != .everyone && self != .known }

  /// Returns the bound of a purge; `nil` if nothing may be deleted.
  ///
  /// `positions` has an element for each author or process whose position limits the purge. The
  /// element is `nil` if the author or process has no position. `maximumAge` is in seconds.
  func point(
    _ positions: [StoredPosition?],
    _ kind: PositionKind,
    now: Date,
    maximumAge: Double
  ) -> PurgePoint? {
    let known = positions.compactMap(\.self)
    let limit = now.addingTimeInterval(-maximumAge)
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

/// A bound of a purge: transactions strictly before it are deleted.
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
