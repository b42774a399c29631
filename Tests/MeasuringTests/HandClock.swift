@testable import Measuring

/// A clock that a test moves; use it from one thread.
final class HandClock: @unchecked Sendable {
  private(set) var nanoseconds: UInt64 = 0

  func advance(by nanoseconds: UInt64) { self.nanoseconds += nanoseconds }

  var clock: NanosecondClock { NanosecondClock { self.nanoseconds } }
}
