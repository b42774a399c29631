/// The severity of a log message.
public enum TrackerLogType: String, Sendable, Hashable, CaseIterable {
  /// A detail of normal operation.
  case debug
  /// A start or a stop.
  case info
  /// A finding that may need attention.
  case notice
  /// A failure, such as a pass that failed.
  case error
  /// A failure that needs action: history is kept, or a member was cut off.
  case fault
}

/// The amount that a tracker logs.
public enum TrackerLogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// No messages; failures are still available in reports and errors.
  case off = 0
  /// Starts, stops and failures.
  case events = 1
  /// Starts, stops, failures, and the results of each pass.
  case details = 2

  /// Orders levels by the amount that they log.
  public static func < (left: TrackerLogLevel, right: TrackerLogLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A destination for a tracker's log messages.
public protocol TrackerLogger: Sendable {
  /// Writes one message; the tracker waits for it, so it must return quickly.
  func log(_ type: TrackerLogType, _ message: String)
}
