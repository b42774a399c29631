internal import Synchronization
package import Traces

/// A checker from another package, added with ``CheckerSuite/add(_:)``.
///
/// Every suite that this process later creates with the scope `all` (all checkers) also runs it.
package struct AddedChecker: Sendable {
  let name: String
  let sentence: String
  let make: @Sendable (TraceHeader) -> any Checker

  package init(
    name: String,
    sentence: String,
    make: @escaping @Sendable (TraceHeader) -> any Checker
  ) {
    (self.name, self.sentence, self.make) = (name, sentence, make)
  }

  /// The checkers that other packages have added in this process.
  private static let added = Mutex<[AddedChecker]>([])

  static var all: [AddedChecker] { added.withLock { $0 } }

  fileprivate static func add(_ checkers: [AddedChecker]) { added.withLock { $0 += checkers } }
}

extension CheckerSuite {
  /// Adds checkers to all suites that this process later creates with the scope `all`.
  ///
  /// Call this before the process creates its first suite: the list of all checkers' names, which
  /// ``verdicts`` uses, is read only once.
  package static func add(_ checkers: [AddedChecker]) { AddedChecker.add(checkers) }
}

/// The checkers that other packages have added, applied to one trace.
struct AddedCheckers: Sendable {
  private var checkers: [any Checker]
  private(set) var brokenBits: UInt64 = 0
  /// A hash of all events: the lab does not know which events the added checkers depend on.
  private var eventHash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates the checkers that ``CheckerSuite/add(_:)`` has added, for one trace.
  ///
  /// The result is `nil` if none were added in this process.
  init?(_ header: TraceHeader) {
    let added = AddedChecker.all
    guard !added.isEmpty else { return nil }
    checkers = added.map { $0.make(header) }
  }

  /// Checks the next event, and returns whether any invariant has been broken so far.
  mutating func observe(_ event: Event) -> Bool {
    for byte in "\(event)".utf8 { eventHash = (eventHash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for index in checkers.indices {
      checkers[index].observe(event)
      if case .invalid = checkers[index].verdict { brokenBits |= 1 << UInt64(index) }
    }
    return brokenBits != 0
  }

  func forEachVerdict(_ body: (Verdict) -> Void) {
    for checker in checkers { body(checker.verdict) }
  }

  /// Adds the hash of all events to `state`, so that states after different events always differ.
  func describe(_ state: inout StateSketch) { state.add(number: Int64(bitPattern: eventHash)) }
}
