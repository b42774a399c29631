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
  /// The objects in both results whose values changed, whether or not their positions changed.
  public let updated: Set<ObjectID>
  /// The sections of the result, by position; empty if the query does not define sections.
  public let sections: [LiveSection]
  /// The insertions and removals of sections, by their values.
  public let sectionDifference: CollectionDifference<Value>

  private let context: ObjectContext
  private let entity: Int32
  private let keys: ArraySlice<Int64>

  /// The index of the first object: 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { keys.count }
  /// The object at a position.
  public subscript(position: Int) -> StoredObject {
    StoredObject(context: context, id: id(keys[keys.startIndex + position]))
  }

  /// The identities of the objects, in their order.
  ///
  /// - Complexity: linear in the number of objects; no query.
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
    sectionDifference = sections.map(\.value).difference(from: list.receivedSections)
  }
}

/// A group of adjacent objects of a result with the same value of one attribute.
///
/// Core Data: `NSFetchedResultsSectionInfo`.
public struct LiveSection: Sendable, Hashable {
  /// The attribute's value in all objects of the section; with a collation, that of the first object.
  public let value: Value
  /// The positions of the objects in the result.
  public let range: Range<Int>
}

extension LiveList {
  /// Returns the new result after an evaluation, or `nil` if it equals the last one returned.
  ///
  /// - Complexity: linear in the changes, plus a comparison of the keys of the two results.
  mutating func result(
    of changes: Changes,
    _ state: ContextState,
    in context: ObjectContext
  ) -> LiveResult? {
    let walk = WindowDifference(from: received ?? [], to: keys[window], moved: changes.moved)
    let stayed = changes.updated.filter { key in
      guard let member = members[key] else { return false }
      return window.contains(position(of: (key, member.sorted))) && walk.wasPresent(key)
    }
    guard received == nil || !walk.isEmpty || !stayed.isEmpty else { return nil }
    for key in walk.insertedKeys { noteEntry(key, in: state) }
    let sections = sections
    let result = LiveResult(self, walk, updated: Array(stayed), sections, context)
    received = keys[window]
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

/// The positions at which objects were removed from one result and inserted into the next.
struct WindowDifference {
  private var removed: [(offset: Int, key: Int64)] = []
  private var inserted: [(offset: Int, key: Int64)] = []

  /// Compares two results, in which all objects that are not in `moved` have the same order.
  init(from old: ArraySlice<Int64>, to new: ArraySlice<Int64>, moved: Set<Int64>) {
    var (left, right) = (old.startIndex, new.startIndex)
    var newKeys: Set<Int64>?
    while left < old.endIndex || right < new.endIndex {
      if left < old.endIndex, right < new.endIndex, old[left] == new[right] {
        left += 1
        right += 1
        continue
      }
      if left < old.endIndex {
        // An object that did not move is removed only if it is now outside of the offset and the limit.
        var isRemoved = right == new.endIndex || moved.contains(old[left])
        if !isRemoved {
          let others = newKeys ?? Set(new)
          newKeys = others
          isRemoved = !others.contains(old[left])
        }
        if isRemoved {
          removed.append((left - old.startIndex, old[left]))
          left += 1
          continue
        }
      }
      inserted.append((right - new.startIndex, new[right]))
      right += 1
    }
  }

  var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

  /// The objects that were inserted into the new result.
  var insertedKeys: [Int64] { inserted.map(\.key) }

  /// Returns whether an object of the new result is in the old one.
  func wasPresent(_ key: Int64) -> Bool {
    !inserted.contains { $0.key == key } || removed.contains { $0.key == key }
  }

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
      fatalError("\(changes.count) changes of a live result are no valid CollectionDifference.")
    }
    return difference.inferringMoves()
  }
}
