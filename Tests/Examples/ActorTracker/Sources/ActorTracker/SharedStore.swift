/// A store that several trackers share: objects, history and cursors.
///
/// The objects are whatever the app saves; a transaction has a number from 1.
package actor SharedStore<Content: Sendable> {
  /// One transaction of history.
  package struct Transaction: Sendable {
    package let number: Int
    package let writer: String
    package let content: Content
  }

  private let executor: any SerialExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  package private(set) var history: [Transaction] = []
  package private(set) var head = 0
  private var cursors: [String: Int] = [:]

  /// Creates an empty store whose work runs on an executor.
  package init(on executor: any SerialExecutor) { self.executor = executor }

  /// Adds a transaction, and returns its number.
  package func commit(_ content: Content, by writer: String) -> Int {
    head += 1
    history.append(Transaction(number: head, writer: writer, content: content))
    return head
  }

  /// Adds a member at the newest transaction, unless it is one already.
  package func join(_ member: String) { cursors[member] = cursors[member] ?? head }

  /// Returns the number of the last transaction that a member has recorded.
  package func cursor(of member: String) -> Int { cursors[member] ?? 0 }

  /// Records that a member has merged everything up to a number.
  package func record(_ member: String, through number: Int) { cursors[member] = number }

  /// Deletes what every member has recorded, and returns the numbers.
  package func purge() -> [Int] {
    let bound = cursors.values.min() ?? 0
    let purged = history.filter { $0.number <= bound }.map(\.number)
    history.removeAll { $0.number <= bound }
    return purged
  }
}
