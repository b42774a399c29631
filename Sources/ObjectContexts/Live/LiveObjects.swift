public import HistoryStore
public import HistoryTypes

/// The results of a query that stay current, as an asynchronous sequence.
///
/// The first element is the whole result. A further element follows each time that the context's
/// own edits and saves, or transactions that a tracker merges into the context, change the result.
/// Each element contains the difference from the previous one. A slow reader receives one element
/// for all changes since the last element that it received.
///
/// Each iteration runs a query of its own. It ends when its iterator or the context is released,
/// when its task is cancelled, or with an error, which is thrown to the reader. An element retains
/// the context, the sequence does not.
///
/// Core Data: `NSFetchedResultsController`. GRDB: `ValueObservation`.
public struct LiveObjects: AsyncSequence, Sendable {
  /// A result with its difference from the previous result.
  public typealias Element = LiveResult
  /// The error of a query.
  public typealias Failure = HistoryError

  private weak let context: ObjectContext?
  private let list: LiveList

  fileprivate init(_ context: ObjectContext, _ list: LiveList) {
    self.context = context
    self.list = list
  }

  /// Starts a live query, which only one task at a time may read.
  ///
  /// - Complexity: no query.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: context.map { LiveReader($0, list) })
  }

  /// An iterator that waits for the next result.
  public struct Iterator: AsyncIteratorProtocol {
    package let reader: LiveReader?

    /// Returns the next result that differs from the last one, or `nil` at the end of the sequence.
    ///
    /// - Throws: ``HistoryError`` if the predicate is invalid or SQLite fails; the sequence then ends.
    /// - Complexity: one query of the result for the first result, after a reset, and when too many
    ///   objects left a limited result. Otherwise at most one query of the changed objects that are
    ///   not registered, and no query if the changes cannot affect the result. In a list of n
    ///   objects, each changed object takes O(log n) steps and copies at most about 1,000 keys. The
    ///   list stores its keys in chunks; in a long list, a chunk has about 128 keys or more on
    ///   average. Each result shares the chunks with the list, and copies one reference for each
    ///   chunk.
    public mutating func next() async throws(HistoryError) -> LiveResult? {
      guard let reader else { return nil }
      return try await Self.next(reader)
    }

    @concurrent
    private static func next(_ reader: LiveReader) async throws(HistoryError) -> LiveResult? {
      while !Task.isCancelled {
        switch try reader.evaluate() {
        case .result(let result): return result
        case .unchanged: await reader.wait()
        case .ended: return nil
        }
      }
      return nil
    }
  }
}

extension ObjectContext {
  /// Returns the objects of an entity that match a predicate as a sequence of current results.
  ///
  /// ```swift
  /// for try await list in try context.liveObjects("Item", sortedBy: ["title"], limit: 20) {
  ///   screen.apply(list.difference, updated: list.updated)
  /// }
  /// ```
  ///
  /// Each result is that of `objects(_:where:sortedBy:limit:offset:)`: it includes unsaved edits,
  /// and the context registers the objects that a query has read. Changes of other contexts and
  /// processes are included when they are merged.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - predicate: The condition on the objects; `nil` matches all.
  ///   - orders: The sort orders; without them, the objects are in key order.
  ///   - section: The attribute by whose values the result is divided into sections, with its
  ///     order; the result is sorted by this attribute first, then by `orders`.
  ///   - limit: The maximum number of objects; `nil` for all.
  ///   - offset: The number of objects to skip first.
  /// - Returns: The sequence; each iteration of it is a query of its own.
  /// - Throws: ``HistoryError`` if the name of the entity or of a sorted attribute, the limit or the
  ///   offset is invalid. An invalid predicate throws when the first result is read.
  /// - Complexity: no query. While it is read, a live query needs memory for the sorted values of
  ///   the objects up to the end of the result.
  public func liveObjects(
    _ entity: String,
    where predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    sectionedBy section: ObjectOrder? = nil,
    limit: Int? = nil,
    offset: Int = 0
  ) throws(HistoryError) -> LiveObjects {
    let number = try number(of: entity)
    let all = (section.map { [$0] } ?? []) + orders
    let query = try ObjectQuery(predicate, sortedBy: all, limit: limit, offset: offset)
    let description = store.model.entities[Int(number) - 1]
    let list = try LiveList(number, description, query, hasSections: section != nil)
    return LiveObjects(self, list)
  }
}

/// The reader of one live query; releasing the reader ends the query.
package final class LiveReader: Sendable {
  package enum Outcome {
    case result(LiveResult)
    /// No change has affected the result.
    case unchanged
    /// The context was released, or an error has ended the query.
    case ended
  }

  private weak let context: ObjectContext?
  /// The state of the context, which outlives the context itself.
  private let state: ContextLock
  private let number: Int

  init(_ context: ObjectContext, _ list: LiveList) {
    self.context = context
    state = context.state
    number = state.withLock { $0.watches.add(list) }
  }

  deinit {
    state.withLock { [number] state in
      if let list = state.watches.remove(number) { state.releaseUnheld(list.receivedIDs) }
    }
  }

  /// Updates the query's result by the changes since the last evaluation, without waiting for more.
  package func evaluate() throws(HistoryError) -> Outcome {
    guard let context else { return .ended }
    return try state.withLock { state throws(HistoryError) in
      guard state.watches.contains(number) else { return .ended }
      guard var list = state.watches.take(number) else { return .unchanged }
      let changes: LiveList.Changes
      do throws(HistoryError) {
        changes = try list.evaluate(&state, in: state.pinned ?? context.store)
      } catch {
        state.releaseUnheld(list.receivedIDs)
        state.releaseUnheld(list.registeredIDs)
        throw error
      }
      let result = list.result(of: changes, state, in: context)
      state.watches.put(list, number)
      if let result { state.releaseUnheld(result.difference.removals.map(\.element)) }
      state.releaseUnheld(list.registeredIDs)
      return result.map { .result($0) } ?? .unchanged
    }
  }

  /// Waits until there are changes to evaluate, the query has ended, or the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if Task.isCancelled {
            continuation.resume()
          } else {
            state.watches.wait(number, continuation)
          }
        }
      }
    } onCancel: {
      state.withLock { $0.watches.wake(number) }
    }
  }
}

extension LiveList {
  /// The objects that the last evaluation has registered.
  ///
  /// Some of them may not be in the result: if the evaluation then read the whole list again, the new
  /// list may lack them.
  fileprivate var registeredIDs: some Sequence<ObjectID> {
    registered.lazy.map { [number] in ObjectID(entity: number, key: $0) }
  }

  /// The objects in the result that the reader received last.
  fileprivate var receivedIDs: some Sequence<ObjectID> {
    (received ?? ChunkedKeys()[...]).lazy.map { [number] in ObjectID(entity: number, key: $0) }
  }
}

extension CollectionDifference.Change {
  fileprivate var element: ChangeElement {
    switch self {
    case .insert(_, let element, _), .remove(_, let element, _): element
    }
  }
}
