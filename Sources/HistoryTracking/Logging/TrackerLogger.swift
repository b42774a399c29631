/// How serious a message of a tracker is.
public enum TrackerLogType: String, Sendable, Hashable, CaseIterable {
  /// What was done, in detail.
  case debug
  /// Starts and stops.
  case info
  /// What somebody may want to look at.
  case notice
  /// A pass failed, and is repeated.
  case error
  /// Somebody must do something: history is kept, or a member was lost.
  case fault
}

/// How much a tracker logs.
public enum TrackerLogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// Nothing; what fails still stands in reports and errors.
  case off = 0
  /// Starts, stops, and what goes wrong.
  case events = 1
  /// What each pass did, too.
  case details = 2

  /// Orders by how much is logged.
  public static func < (left: TrackerLogLevel, right: TrackerLogLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Where a tracker's messages go.
public protocol TrackerLogger: Sendable {
  /// Takes one message, which is quick: the tracker waits for it.
  func log(_ type: TrackerLogType, _ message: String)
}
