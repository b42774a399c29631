import Foundation
import HistoryTracking

/// Keeps what is logged.
final class RecordingLogger: TrackerLogger, @unchecked Sendable {
  private let lock = NSLock()
  private var logged: [(type: TrackerLogType, message: String)] = []

  func log(_ type: TrackerLogType, _ message: String) {
    lock.withLock { logged.append((type, message)) }
  }

  var messages: [String] { lock.withLock { logged.map(\.message) } }

  /// The messages of one type.
  func messages(_ type: TrackerLogType) -> [String] {
    lock.withLock { logged.filter { $0.type == type }.map(\.message) }
  }
}
