import HistoryStore
import HistoryTypes

/// The live queries of one context, with the tasks that wait for their next results.
///
/// The context notes which objects its operations have changed. A live query is evaluated only when
/// its reader asks for the next result, so that a slow reader costs no queries.
struct LiveWatches: Sendable {
  struct Watch: Sendable {
    let number: Int
    fileprivate(set) var list: LiveList
    fileprivate(set) var waiter: CheckedContinuation<Void, Never>?

    /// Resumes the waiting task, which continues when the context's lock is free.
    fileprivate mutating func wake() {
      waiter?.resume()
      waiter = nil
    }
  }

  private(set) var watches: [Watch] = []
  private var lastNumber = 0
  var isEmpty: Bool { watches.isEmpty }

  /// Adds a live query, and returns its number, which identifies it in later calls.
  mutating func add(_ list: LiveList) -> Int {
    lastNumber += 1
    watches.append(Watch(number: lastNumber, list: list))
    return lastNumber
  }

  /// Ends and returns a live query; `nil` if it has ended already.
  mutating func remove(_ number: Int) -> LiveList? {
    guard let index = watches.firstIndex(where: { $0.number == number }) else { return nil }
    watches[index].wake()
    return watches.remove(at: index).list
  }

  /// Returns whether a live query is still active.
  func contains(_ number: Int) -> Bool { watches.contains { $0.number == number } }

  /// Returns whether an object is in the result of a live query.
  ///
  /// - Complexity: logarithmic in the lengths of the results.
  func isInResult(_ id: ObjectID) -> Bool {
    watches.contains { $0.list.number == id.entity && $0.list.isInResult(id.key) }
  }

  /// Wakes the reader of a live query, because its task was cancelled.
  mutating func wake(_ number: Int) {
    for index in watches.indices where watches[index].number == number { watches[index].wake() }
  }

  /// Removes and returns a live query if it has changes to evaluate; otherwise returns `nil`.
  mutating func take(_ number: Int) -> LiveList? {
    guard let index = watches.firstIndex(where: { $0.number == number }),
      watches[index].list.isStale
    else { return nil }
    return watches.remove(at: index).list
  }

  /// Adds a live query again after it was evaluated.
  mutating func put(_ list: LiveList, _ number: Int) {
    watches.append(Watch(number: number, list: list))
  }

  /// Makes a task wait until a live query has changes to evaluate or has ended.
  mutating func wait(_ number: Int, _ waiter: CheckedContinuation<Void, Never>) {
    guard let index = watches.firstIndex(where: { $0.number == number }),
      !watches[index].list.isStale
    else { return waiter.resume() }
    watches[index].waiter = waiter
  }

  /// Ends all live queries, because their context is released.
  mutating func finish() {
    for index in watches.indices { watches[index].wake() }
    watches = []
  }

  // MARK: Changes by the context

  /// Notes that the context changed an object.
  mutating func touch(_ id: ObjectID) {
    if !watches.isEmpty { touch(id.entity, CollectionOfOne(id.key)) }
  }

  /// Notes that the context changed some objects.
  mutating func touch(_ ids: [ObjectID]) {
    guard !watches.isEmpty else { return }
    for id in ids { touch(id.entity, CollectionOfOne(id.key)) }
  }

  /// Notes that the context changed some objects of an entity.
  mutating func touch(_ entity: Int32, _ keys: some Sequence<Int64>) {
    for index in watches.indices where watches[index].list.number == entity {
      for key in keys { watches[index].list.touch(key) }
      watches[index].wake()
    }
  }

  /// Notes that an object is no longer in the store.
  mutating func noteDeleted(_ id: ObjectID) {
    for index in watches.indices where watches[index].list.number == id.entity {
      watches[index].list.noteDeleted(id.key)
      if watches[index].list.isStale { watches[index].wake() }
    }
  }

  /// Notes the changes of a transaction that the context merges.
  mutating func note(_ transaction: HistoryTransaction) {
    guard !watches.isEmpty else { return }
    let record = transaction.record
    let changes = transaction.page.changeRecords
    for index in watches.indices {
      for place in record.firstChange..<record.firstChange + record.count {
        watches[index].list.note(changes[place])
      }
      if watches[index].list.isStale { watches[index].wake() }
    }
  }

  /// Makes each live query read its result again, because transactions may have been skipped.
  mutating func restart() {
    for index in watches.indices {
      watches[index].list.restart()
      watches[index].wake()
    }
  }
}

extension ContextState {
  /// A copy of the state for a snapshot of the context, from which an equal context can be created.
  ///
  /// The copy has no live queries, no counts of ``ObjectHold`` instances and no pinned connection.
  var detached: ContextState {
    var copy = self
    copy.watches = LiveWatches()
    copy.holds = HoldCounts(entityCount: model.entities.count)
    copy.unpin()
    return copy
  }
}
