import Foundation
import HistoryTracking

/// Records the log messages.
final class RecordingLogger: TrackerLogger, @unchecked Sendable {
  private let lock = NSLock()
  private var logged: [(level: TrackerLogLevel, message: String, member: String?)] = []

  func log(level: TrackerLogLevel, message: String, metadata: [String: String]) {
    lock.withLock { logged.append((level, message, metadata["member"])) }
  }

  /// All messages.
  var messages: [String] { lock.withLock { logged.map(\.message) } }

  /// The members of the messages.
  var members: [String?] { lock.withLock { logged.map(\.member) } }

  /// The messages of one level.
  func notes(at level: TrackerLogLevel) -> [String] {
    lock.withLock { logged.filter { $0.level == level }.map(\.message) }
  }
}
