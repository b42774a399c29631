import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing

@testable import ObjectContexts

struct `The difference of two results` {
  @Test(.property(cases: 2_000, seed: 1))
  func `The difference equals that of a walk over all keys`() async throws {
    try await property { source in
      let lists = ChangedList(&source)
      let offset = source.int(in: 0...6, label: "offset")
      let end = source.bool() ? offset + source.int(in: 0...10, label: "limit") : .max
      let old = lists.old[lists.window(of: lists.old, offset, end)]
      let new = lists.new[lists.window(of: lists.new, offset, end)]
      let walk = LinearWalk(from: old, to: new, moved: lists.moved)
      let found = WindowDifference(
        from: ChunkedKeys(lists.old, chunkSize: 4)[old.indices],
        to: ChunkedKeys(lists.new, chunkSize: 4)[new.indices],
        movedFrom: lists.old.indices.filter { lists.moved.contains(lists.old[$0]) },
        movedTo: lists.new.indices.filter { lists.moved.contains(lists.new[$0]) }
      )
      #expect(found.removedKeys == walk.removed.map(\.key))
      #expect(found.insertedKeys == walk.inserted.map(\.key))
      #expect(found.enteredKeys == Set(new).subtracting(old))
      let difference = found.collectionDifference(id)
      #expect(difference == CollectionDifference(walk.changes)?.inferringMoves())
      #expect(old.map(id).applying(difference) == new.map(id))
    }
  }

  private func id(_ key: Int64) -> ObjectID { ObjectID(entity: 1, key: key) }

  @Test func `A walk that meets a moved object at the same place reports no difference`() {
    let list = ChunkedKeys([1, 2, 3])
    let same = WindowDifference(from: list[...], to: list[...], movedFrom: [1], movedTo: [1])
    #expect(same.isEmpty)
    let swapped = WindowDifference(
      from: list[...],
      to: ChunkedKeys([2, 1, 3])[...],
      movedFrom: [0, 1],
      movedTo: [0, 1]
    )
    #expect(swapped.removedKeys == [1] && swapped.insertedKeys == [1])
  }

  @Test func `Only the keys of moved objects and at the ends of the results are read`() {
    // Each unmoved key of the new list differs from that of the old one: comparing it would show.
    let old = ChunkedKeys(Array(0..<100_000))
    var new = ChunkedKeys(Array(1_000_000..<1_100_000))
    new.remove(at: [70_000])
    new.insert([(10, 70_000)])
    let whole = WindowDifference(
      from: old[...],
      to: new[...],
      movedFrom: [70_000],
      movedTo: [10]
    )
    #expect(whole.removedKeys == [70_000] && whole.insertedKeys == [70_000])
    let part = WindowDifference(
      from: old[1_000..<50_000],
      to: new[1_000..<50_000],
      movedFrom: [70_000],
      movedTo: [10]
    )
    #expect(part.removedKeys == [49_999] && part.insertedKeys == [1_000_999])
  }
}

/// A list before and after a change: objects moved, left and entered, and the end was cut off.
private struct ChangedList {
  let old: [Int64]
  private(set) var new: [Int64]
  private(set) var moved: Set<Int64> = []

  init(_ source: inout ChoiceSource) {
    let count = source.integer(in: 0...20, label: "count")
    old = Array(0..<count)
    new = old
    let rate = source.double(in: 0...0.6, label: "rate")
    for key in old where source.bool(probability: rate) { moved.insert(key) }
    new.removeAll { [moved] in moved.contains($0) }
    let entering = moved.sorted() + (count..<count + source.integer(in: 0...4, label: "entering"))
    for key in entering where source.bool(probability: 0.7) {
      moved.insert(key)
      new.insert(key, at: source.int(in: 0...new.count, label: "position"))
    }
    new.removeLast(min(new.count, source.int(in: 0...2, label: "cut off")))
  }

  /// Returns the positions of a result, as a live query with an offset and a limit does.
  func window(of keys: [Int64], _ offset: Int, _ end: Int) -> Range<Int> {
    let start = min(offset, keys.count)
    return start..<max(start, min(end, keys.count))
  }
}

/// The reference: a comparison of two results key by key.
private struct LinearWalk {
  private(set) var removed: [(offset: Int, key: Int64)] = []
  private(set) var inserted: [(offset: Int, key: Int64)] = []

  init(from old: ArraySlice<Int64>, to new: ArraySlice<Int64>, moved: Set<Int64>) {
    var (left, right) = (old.startIndex, new.startIndex)
    while left < old.endIndex || right < new.endIndex {
      if left < old.endIndex, right < new.endIndex, old[left] == new[right] {
        left += 1
        right += 1
      } else if left < old.endIndex,
        right == new.endIndex || moved.contains(old[left]) || !new.contains(old[left])
      {
        removed.append((left - old.startIndex, old[left]))
        left += 1
      } else {
        inserted.append((right - new.startIndex, new[right]))
        right += 1
      }
    }
  }

  var changes: [CollectionDifference<ObjectID>.Change] {
    removed.map { .remove(offset: $0.offset, element: id($0.key), associatedWith: nil) }
      + inserted.map { .insert(offset: $0.offset, element: id($0.key), associatedWith: nil) }
  }

  private func id(_ key: Int64) -> ObjectID { ObjectID(entity: 1, key: key) }
}
