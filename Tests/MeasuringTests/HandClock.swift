@testable import Measuring

/// A clock that stands still until the test moves it; one thread uses it.
final class HandClock: @unchecked Sendable {
  private(set) var nanoseconds: UInt64 = 0

  func advance(by nanoseconds: UInt64) { self.nanoseconds += nanoseconds }

  var clock: NanosecondClock { NanosecondClock { self.nanoseconds } }
}
