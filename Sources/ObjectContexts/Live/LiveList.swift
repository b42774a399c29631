import HistoryStore
import HistoryTypes

/// The objects that a live query found, and the changes to evaluate before the next result.
///
/// The list contains the first matching objects from offset 0, and some spare objects beyond the
/// query's limit. When an object leaves a limited result, a spare object replaces it without a
/// query. The matching objects that the list lacks are sorted after the list's last object.
struct LiveList: Sendable {
  /// The sort values of one object in the list, and a hash of all its values.
  struct Member: Sendable {
    /// The values by which the object is sorted.
    let sorted: [Value]
    /// A hash of all values of the object when the object was last evaluated or entered the result.
    ///
    /// A different hash at the next evaluation shows that the object has changed. `nil` if the
    /// context had no values of the object.
    fileprivate(set) var digest: Int?
  }

  /// The number of objects beyond the limit that are read in advance: half of the limit, at least 2.
  ///
  /// If objects leave a limited result one by one, the list is read again whenever `limit / 2`
  /// objects have left. Reading the list then costs three rows for each object that left. Without a
  /// limit, the number is 0.
  private var spareCount: Int { query.limit.map { max(2, $0 / 2) } ?? 0 }

  /// The number of the queried entity in the model.
  let number: Int32
  private let entity: Entity
  let query: ObjectQuery
  let hasSections: Bool
  /// The attributes of the predicate and of the sort orders, as bits.
  private let columns: UInt64
  /// The indices of the attributes by which the objects are sorted.
  private let sortPlaces: [Int]

  private(set) var keys = ChunkedKeys()
  private(set) var members: [Int64: Member] = [:]
  /// Whether the list holds all objects that match.
  private var isComplete = false
  private var mustFetch = true
  /// The objects whose changes were not evaluated yet.
  private var pending: Set<Int64> = []
  /// Those objects of ``pending`` that were deleted in the store.
  private var deleted: Set<Int64> = []
  /// The changed objects that the last evaluation read from the store and then registered.
  ///
  /// To register an object is to keep its row in the context. The evaluation first moves all
  /// changed objects to their places in the list. It then registers those it has read that are in
  /// the result.
  private(set) var registered: [Int64] = []
  /// The result that the code reading the live query received last; `nil` before the first one.
  ///
  /// The value is a slice of the list's keys as they were after the last evaluation.
  var received: Slice<ChunkedKeys>?
  /// The values of the sections in the result that the code reading the live query received last.
  var receivedSections: [Value] = []

  /// Creates the list of a query; the first evaluation reads the list's objects.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the entity lacks the attribute of a sort order.
  init(
    _ number: Int32,
    _ entity: Entity,
    _ query: ObjectQuery,
    hasSections: Bool
  )
    throws(HistoryError)
  {
    self.number = number
    self.entity = entity
    self.query = query
    self.hasSections = hasSections
    columns = query.columns(of: entity)
    var places: [Int] = []
    for order in query.orders {
      guard let place = entity.index(of: order.attribute) else {
        throw .unknownAttribute(order.attribute, of: entity)
      }
      places.append(place)
    }
    sortPlaces = places
  }

  /// The number of objects from offset 0 to the end of the result; `.max` without a limit.
  private var wantedCount: Int {
    guard let limit = query.limit else { return .max }
    let (sum, overflow) = limit.addingReportingOverflow(query.offset)
    return overflow || sum > .max / 2 ? .max : sum
  }

  /// The positions in the list whose objects form the result, given the query's offset and limit.
  var window: Range<Int> {
    let start = min(query.offset, keys.count)
    return start..<max(start, min(wantedCount, keys.count))
  }

  /// Returns whether an object is in the result.
  func isInResult(_ key: Int64) -> Bool {
    members[key].map { window.contains(position(of: (key, $0.sorted))) } ?? false
  }

  // MARK: Changes

  /// Whether there are changes to evaluate, or the whole list must be read.
  var isStale: Bool { mustFetch || !pending.isEmpty }

  /// Notes that an object may have changed.
  mutating func touch(_ key: Int64) {
    if !mustFetch { pending.insert(key) }
  }

  /// Notes a change of a merged transaction, unless it cannot affect the result.
  ///
  /// An update of an object outside the list affects the result only if it sets an attribute of the
  /// predicate or of the sort orders.
  mutating func note(_ change: ChangeRecord) {
    guard change.entity == number, !mustFetch else { return }
    let isKnown = members[change.key] != nil || pending.contains(change.key)
    switch change.type {
    case .insert: break
    case .update: guard isKnown || change.columns & columns != 0 else { return }
    // A merge calls `noteDeleted` for each object that it removes.
    case .delete: return
    }
    pending.insert(change.key)
  }

  /// Notes that an object was deleted in the store.
  mutating func noteDeleted(_ key: Int64) {
    guard members[key] != nil || pending.contains(key) else { return }
    pending.insert(key)
    deleted.insert(key)
  }

  /// Notes that any object may have changed, so that the next evaluation reads the whole list.
  mutating func restart() {
    mustFetch = true
    pending = []
    deleted = []
  }

  // MARK: Evaluation

  /// The objects whose place or values changed, as found by an evaluation.
  struct Changes {
    /// The objects that entered or left the list, or changed their place in it.
    var moved: Set<Int64> = []
    /// The positions of the moved objects in the list before the evaluation, in ascending order.
    fileprivate(set) var movedFrom: [Int] = []
    /// The positions of the moved objects in the list after the evaluation, in ascending order.
    fileprivate(set) var movedTo: [Int] = []
    /// The objects in the list whose values changed.
    var updated: Set<Int64> = []
  }

  /// Evaluates the changes noted since the last evaluation.
  ///
  /// - Complexity: one query for all changed objects that are neither registered nor edited. The
  ///   whole list is read with one query at the first evaluation, after ``restart()``, and if too many
  ///   objects left a limited result. Otherwise, each change takes O(log n) in a list of n objects and
  ///   copies a chunk, and the evaluation visits each chunk.
  mutating func evaluate(
    _ state: inout ContextState,
    in store: Store
  ) throws(HistoryError) -> Changes {
    var changes = Changes()
    registered = []
    if !mustFetch { try place(&state, store, &changes) }
    if mustFetch || !isComplete && keys.count < wantedCount {
      try fetch(&state, store, &changes)
    }
    pending = []
    deleted = []
    return changes
  }

  /// Reads the whole list.
  private mutating func fetch(
    _ state: inout ContextState,
    _ store: Store,
    _ changes: inout Changes
  ) throws(HistoryError) {
    var wide = query
    wide.offset = 0
    wide.limit = wantedCount == .max ? nil : wantedCount + spareCount
    let found = try state.rows(number, wide, in: store)
    let before = members
    keys = ChunkedKeys(found.map(\.key))
    members = [:]
    members.reserveCapacity(keys.count)
    for row in found {
      let member = member(row.values)
      members[row.key] = member
      changes.note(row.key, from: before[row.key], to: member, query)
    }
    for (key, member) in before where members[key] == nil {
      changes.note(key, from: member, to: nil, query)
    }
    changes.movedFrom = changes.positions(in: received?.base ?? ChunkedKeys())
    changes.movedTo = changes.positions(in: keys)
    isComplete = wide.limit.map { keys.count < $0 } ?? true
    mustFetch = false
    for row in found[window] { state.register(row, of: number) }
  }

  /// Moves the changed objects to their places, and removes those that do not match any more.
  private mutating func place(
    _ state: inout ContextState,
    _ store: Store,
    _ changes: inout Changes
  ) throws(HistoryError) {
    let read = try unregistered(state, store)
    var leaving: [Int] = []
    var entering: [(key: Int64, sorted: [Value])] = []
    var entered: [Int64: Member] = [:]
    for key in pending {
      let row = state.row(of: ObjectID(entity: number, key: key)) ?? read[key]?.values
      let before = members[key]
      var member: Member?
      if let row, try query.predicate?.matches(row, of: entity) ?? true {
        member = self.member(row)
      }
      changes.note(key, from: before, to: member, query)
      if let member, let before, query.isSamePlace(before.sorted, member.sorted) {
        members[key] = member
        continue
      }
      if let before { leaving.append(position(of: (key, before.sorted))) }
      if let member {
        entering.append((key, member.sorted))
        entered[key] = member
      }
    }
    changes.movedFrom = leaving.sorted()
    remove(changes.movedFrom)
    changes.movedTo = insert(entering, entered)
    for (key, row) in read where isInResult(key) {
      state.register(row, of: number)
      registered.append(key)
    }
  }

  /// Reads from the store those changed objects that the context has neither registered nor edited.
  ///
  /// Objects that were deleted in the store are left out.
  private func unregistered(
    _ state: ContextState,
    _ store: Store
  ) throws(HistoryError) -> [Int64: FoundRow] {
    let unknown = pending.filter { key in
      let id = ObjectID(entity: number, key: key)
      return !deleted.contains(key) && !state.isHere(id) && state.edits.type(of: id) == nil
    }
    guard !unknown.isEmpty else { return [:] }
    let batch = try store.rows(number, sortedKeys: unknown.sorted())
    return Dictionary(uniqueKeysWithValues: batch.map { ($0.key, FoundRow($0)) })
  }

  /// Removes the objects at the given positions, which must be in ascending order.
  private mutating func remove(_ positions: [Int]) {
    for position in positions { members[keys[position]] = nil }
    keys.remove(at: positions)
  }

  /// Inserts objects at their places in the list.
  ///
  /// If the list is incomplete, objects that are sorted after the list's last object are left out.
  ///
  /// - Returns: The positions of the inserted objects.
  private mutating func insert(
    _ entering: [(key: Int64, sorted: [Value])],
    _ entered: [Int64: Member]
  ) -> [Int] {
    let entering = entering.sorted { query.compare($0, $1) < 0 }
    var inserted: [(position: Int, key: Int64)] = []
    for object in entering {
      let position = position(of: object)
      if position == keys.count && !isComplete { break }
      inserted.append((position, object.key))
      members[object.key] = entered[object.key]
    }
    keys.insert(inserted)
    let mostCount = wantedCount == .max ? Int.max : wantedCount + 2 * spareCount
    if keys.count > mostCount {
      remove(Array(mostCount..<keys.count))
      isComplete = false
    }
    return inserted.indices.map { inserted[$0].position + $0 }.filter { $0 < keys.count }
  }

  /// Returns the position of an object in the list, or the position at which to insert the object.
  ///
  /// - Complexity: logarithmic in the length of the list.
  func position(of object: (key: Int64, sorted: [Value])) -> Int {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      let sorted = members[keys[middle]]?.sorted ?? []
      if query.compare((keys[middle], sorted), object) < 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private func member(_ row: ArraySlice<Value>) -> Member {
    Member(sorted: sortPlaces.map { row[row.startIndex + $0] }, digest: Self.digest(of: row))
  }

  private static func digest(of row: ArraySlice<Value>) -> Int {
    var hasher = Hasher()
    for value in row { value.hashBits(into: &hasher) }
    return hasher.finalize()
  }

  /// Stores a hash of the context's values of an object, when the object enters the result.
  ///
  /// The list may have placed the object by older values: another query may have read a newer row
  /// into the context before the change in that row was merged. The code that reads the live query
  /// sees the newer values. If the object returns to the older values before its next evaluation,
  /// this change is reported only because of the new hash.
  mutating func noteEntry(_ key: Int64, in state: ContextState) {
    members[key]?.digest = state.row(of: ObjectID(entity: number, key: key)).map(Self.digest)
  }
}

extension LiveList.Changes {
  /// Returns the positions of the moved objects in a list.
  ///
  /// - Complexity: linear in the length of the list.
  fileprivate func positions(in list: ChunkedKeys) -> [Int] {
    list.indices.filter { moved.contains(list[$0]) }
  }

  /// Adds an object to these changes if an evaluation has changed its place or its values.
  ///
  /// `before` and `after` describe the object as part of the list before and after the evaluation;
  /// `nil` stands for an object outside of the list. Values without an earlier hash count as
  /// changed.
  fileprivate mutating func note(
    _ key: Int64,
    from before: LiveList.Member?,
    to after: LiveList.Member?,
    _ query: ObjectQuery
  ) {
    guard let before, let after else {
      if before != nil || after != nil { moved.insert(key) }
      return
    }
    if !query.isSamePlace(before.sorted, after.sorted) { moved.insert(key) }
    if before.digest == nil || before.digest != after.digest { updated.insert(key) }
  }
}

extension ObjectQuery {
  /// Returns whether two lists of sort values compare as equal, so that only the keys decide the order.
  fileprivate func isSamePlace(_ left: [Value], _ right: [Value]) -> Bool {
    compare((0, left), (0, right)) == 0
  }
}

extension Value {
  /// Hashes the exact value: texts by their bytes, and numbers by their bits.
  ///
  /// A first byte distinguishes text, doubles and all other values, so that null, an empty text and
  /// 0.0 have different hashes.
  fileprivate func hashBits(into hasher: inout Hasher) {
    switch self {
    case .string(let text):
      var text = text
      hasher.combine(1 as UInt8)
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(text.utf8.count)
    case .double(let number):
      hasher.combine(2 as UInt8)
      hasher.combine(number.bitPattern)
    default:
      hasher.combine(0 as UInt8)
      hasher.combine(self)
    }
  }
}
