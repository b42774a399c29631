import Foundation
import HistoryStore
import HistoryTypes
import Testing

/// The tokens that a watch has reported, and a way to wait for one: only tests that block their threads may.
final class ReportedTokens: @unchecked Sendable {
  private let condition = NSCondition()
  private var tokens: [HistoryToken] = []

  /// Everything that was told, in order.
  var all: [HistoryToken] { condition.withLock { tokens } }

  /// The numbers of the tokens that were told.
  var numbers: [Int64] { all.map(\.number) }

  /// Takes up a token.
  func note(_ token: HistoryToken) {
    condition.withLock {
      tokens.append(token)
      condition.broadcast()
    }
  }

  /// Waits until a token came that fits; records an issue when none comes.
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

  /// Waits until a position with a number was told.
  func wait(for number: Int64, at location: SourceLocation = #_sourceLocation) {
    wait("\(number)", { $0.number == number }, at: location)
  }
}

extension StoreFixture {
  /// A fixture whose watches have to be told: the poll comes once in an hour.
  static func withoutPoll() throws -> StoreFixture {
    var fixture = try StoreFixture()
    fixture.configuration.changePollInterval = .seconds(3600)
    fixture.configuration.busyTimeout = .seconds(60)
    return fixture
  }
}
