import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// The tokens that a watch has reported, with a blocking wait for one.
///
/// Use it only in tests that block their threads.
final class ReportedTokens: @unchecked Sendable {
  private let condition = NSCondition()
  private var tokens: [HistoryToken] = []

  /// All reported tokens, in order.
  var all: [HistoryToken] { condition.withLock { tokens } }

  /// The numbers of the reported tokens.
  var numbers: [Int64] { all.map(\.number) }

  /// Adds a token.
  func note(_ token: HistoryToken) {
    condition.withLock {
      tokens.append(token)
      condition.broadcast()
    }
  }

  /// Waits for a matching token; records an issue on timeout.
  func wait(
    _ what: String,
    seconds: Double = 20,
    _ fits: (HistoryToken) -> Bool,
    at location: SourceLocation = #_sourceLocation
  ) {
    let deadline = Date(timeIntervalSinceNow: seconds)
    let came = condition.withLock {
      while !tokens.contains(where: fits) {
        guard condition.wait(until: deadline) else { return false }
      }
      return true
    }
    if !came {
      Issue.record("\(what) was not told; only \(numbers) were", sourceLocation: location)
    }
  }

  /// Waits until a position with a number was reported.
  func wait(for number: Int64, at location: SourceLocation = #_sourceLocation) {
    wait("\(number)", { $0.number == number }, at: location)
  }
}

extension StoreFixture {
  /// A fixture whose watches depend on signals: it polls once an hour.
  static func withoutPoll() throws -> StoreFixture {
    var fixture = try StoreFixture()
    fixture.configuration.changePollInterval = .seconds(3600)
    fixture.configuration.busyTimeout = .seconds(60)
    return fixture
  }
}
