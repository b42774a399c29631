import HistoryStore
public import HistoryTypes

/// A result of a live query, with its difference from the result that the reader received before.
///
/// The result is a collection of the objects in their order. The values of an object are read from
/// the context on access.
///
/// Core Data: `NSFetchedResultsController`, and the snapshots that its delegate receives.
public struct LiveResult: RandomAccessCollection, Sendable {
  /// The insertions and removals that lead from the previous result to this one.
  ///
  /// An object that changed its position is removed and inserted, and the two are associated: see
  /// `CollectionDifference.inferringMoves()`. The first result consists of insertions.
  public let difference: CollectionDifference<ObjectID>
  /// The objects in both this and the previous result whose values changed.
  ///
  /// Their positions may have changed as well.
  public let updated: Set<ObjectID>
  /// The sections of the result, by position; empty if the query does not define sections.
  public let sections: [LiveSection]
  /// The insertions and removals of sections, by their values.
  public let sectionDifference: CollectionDifference<Value>

  private let context: ObjectContext
  private let entity: Int32
  private let keys: Slice<ChunkedKeys>

  /// The index of the first object: 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { keys.count }
  /// The object at a position.
  ///
  /// - Complexity: logarithmic in the number of objects; no query.
  public subscript(position: Int) -> StoredObject {
    let id = id(keys[keys.startIndex + position])
    return context.state.withLock { context.reference(to: id, &$0) }
  }

  /// The identities of the objects, in their order.
  ///
  /// - Complexity: O(n log n) in the number of objects; no query.
  public var objectIDs: [ObjectID] { keys.map(id) }

  private func id(_ key: Int64) -> ObjectID { ObjectID(entity: entity, key: key) }

  fileprivate init(
    _ list: LiveList,
    _ walk: WindowDifference,
    updated: [Int64],
    _ sections: [LiveSection],
    _ context: ObjectContext
  ) {
    let entity = list.number
    self.context = context
    self.entity = entity
    keys = list.keys[list.window]
    difference = walk.collectionDifference { ObjectID(entity: entity, key: $0) }
    self.updated = Set(updated.map { ObjectID(entity: entity, key: $0) })
    self.sections = sections
    sectionDifference =
      list.hasSections
      ? sections.map(\.value).difference(from: list.receivedSections) : Self.noSections
  }

  private static let noSections = [Value]().difference(from: [])
}

/// A group of adjacent objects of a result with the same value of one attribute.
///
/// Core Data: `NSFetchedResultsSectionInfo`.
public struct LiveSection: Sendable, Hashable {
  /// The value of the attribute in the objects of the section.
  ///
  /// If a collation makes different texts equal, this is the value in the section's first object.
  public let value: Value
  /// The positions of the objects in the result.
  public let range: Range<Int>
}

extension LiveList {
  /// Returns the new result after an evaluation, or `nil` if it equals the last one returned.
  ///
  /// - Complexity: O(log n) for each changed object of a list of n objects, and for each section.
  mutating func result(
    of changes: Changes,
    _ state: ContextState,
    in context: ObjectContext
  ) -> LiveResult? {
    // Update `received` even without a new result: keys outside of the result may have changed.
    defer { received = keys[window] }
    let walk = WindowDifference(
      from: received ?? ChunkedKeys()[...],
      to: keys[window],
      movedFrom: changes.movedFrom,
      movedTo: changes.movedTo
    )
    let entered = changes.updated.isEmpty ? [] : walk.enteredKeys
    let stayed = changes.updated.filter { key in
      guard let member = members[key], !entered.contains(key) else { return false }
      return window.contains(position(of: (key, member.sorted)))
    }
    guard received == nil || !walk.isEmpty || !stayed.isEmpty else { return nil }
    for key in walk.insertedKeys { noteEntry(key, in: state) }
    let sections = sections
    let result = LiveResult(self, walk, updated: Array(stayed), sections, context)
    receivedSections = sections.map(\.value)
    return result
  }

  /// The sections of the result.
  ///
  /// - Complexity: one binary search for each section.
  private var sections: [LiveSection] {
    guard hasSections, let order = query.orders.first else { return [] }
    let values = keys[window].lazy.map { key in members[key]?.sorted.first ?? .null }
    var sections: [LiveSection] = []
    var start = window.lowerBound
    while start < window.upperBound {
      var (low, high) = (start + 1, window.upperBound)
      while low < high {
        let middle = (low + high) / 2
        if order.compare(values[middle], values[start]) == 0 {
          low = middle + 1
        } else {
          high = middle
        }
      }
      let range = start - window.lowerBound..<low - window.lowerBound
      sections.append(LiveSection(value: values[start], range: range))
      start = low
    }
    return sections
  }
}

/// The objects removed from the previous result and those inserted into the new one, by position.
struct WindowDifference {
  private var removed: [Place] = []
  private var inserted: [Place] = []

  fileprivate typealias Place = (offset: Int, key: Int64)

  /// Compares two results, each of which is a slice of its list of keys.
  ///
  /// The objects that did not move have the same order in both lists. If one list ends earlier than the
  /// other, the longer list may contain further unmoved objects at its end.
  ///
  /// - Parameters:
  ///   - old: The keys of the previous result.
  ///   - new: The keys of the new result.
  ///   - movedFrom: The positions in the old list of the moved objects, in ascending order.
  ///   - movedTo: The positions in the new list of the moved objects, in ascending order.
  /// - Complexity: O(m log n) for m moved objects and lists of n objects.
  init(from old: Slice<ChunkedKeys>, to new: Slice<ChunkedKeys>, movedFrom: [Int], movedTo: [Int]) {
    let common = old.unmoved(movedFrom).clamped(to: new.unmoved(movedTo))
    let leaving = old.places(movedFrom, without: common)
    let entering = new.places(movedTo, without: common)
    var (left, right) = (0, 0)
    while left < leaving.count || right < entering.count {
      // The numbers of common objects that come before the next object to compare.
      let oldCount = left < leaving.count ? leaving[left].offset - left : .max
      let newCount = right < entering.count ? entering[right].offset - right : .max
      if oldCount == newCount, leaving[left].key == entering[right].key {
        left += 1
        right += 1
      } else if oldCount <= newCount {
        removed.append(leaving[left])
        left += 1
      } else {
        inserted.append(entering[right])
        right += 1
      }
    }
  }

  var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

  /// The objects that were inserted into the new result, including moved objects.
  var insertedKeys: [Int64] { inserted.map(\.key) }

  /// The objects that were removed from the old result, including moved objects.
  var removedKeys: [Int64] { removed.map(\.key) }

  /// The objects of the new result that are not in the old one.
  var enteredKeys: Set<Int64> { Set(insertedKeys).subtracting(removedKeys) }

  func collectionDifference(
    _ id: (Int64) -> ObjectID
  ) -> CollectionDifference<ObjectID> {
    let changes =
      removed.map { change in
        CollectionDifference<ObjectID>.Change.remove(
          offset: change.offset,
          element: id(change.key),
          associatedWith: nil
        )
      }
      + inserted.map { .insert(offset: $0.offset, element: id($0.key), associatedWith: nil) }
    guard let difference = CollectionDifference(changes) else {
      fatalError("\(changes.count) changes of a live result form no valid CollectionDifference.")
    }
    // Inferring moves hashes all changes, and most results have no moves.
    let hasMoves = !removed.isEmpty && !Set(removedKeys).isDisjoint(with: insertedKeys)
    return hasMoves ? difference.inferringMoves() : difference
  }
}

extension Slice<ChunkedKeys> {
  /// Returns the range that this result takes up among the unmoved objects of its list.
  ///
  /// The result is a slice of a live query's list. An object has moved if it entered or left the
  /// list or changed its place in it. `moved` contains the positions of these objects in the list,
  /// in ascending order.
  fileprivate func unmoved(_ moved: [Int]) -> Range<Int> {
    let lower = startIndex - moved.count { $0 < startIndex }
    return lower..<endIndex - moved.count { $0 < endIndex }
  }

  /// Returns the objects of this result, without those that did not move and are in both results.
  ///
  /// The two results are the previous and the new one; this slice is one of them. `moved` contains
  /// the positions of the moved objects in the list of this result. `common` is the range of the
  /// unmoved objects that are in both results; it counts unmoved objects only, as ``unmoved(_:)``
  /// does. Each returned place is an object's key and its position in this result.
  fileprivate func places(_ moved: [Int], without common: Range<Int>) -> [WindowDifference.Place] {
    var (start, end) = (endIndex, endIndex)
    if let last = common.last {
      // The position of an unmoved object is shifted by the moved ones before it.
      start = moved.reduce(common.lowerBound) { $1 <= $0 ? $0 + 1 : $0 }
      end = moved.reduce(last) { $1 <= $0 ? $0 + 1 : $0 } + 1
    }
    let between = moved.filter { start < $0 && $0 < end }
    return [Array(startIndex..<start), between, Array(end..<endIndex)].joined()
      .map { ($0 - startIndex, self[$0]) }
  }
}
