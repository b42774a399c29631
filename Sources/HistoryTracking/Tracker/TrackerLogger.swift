import HistoryTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The severity of a log message, with the names of swift-log's `Logger.Level`.
public enum TrackerLogLevel: String, Sendable, Hashable, Comparable, CaseIterable {
  /// A step of normal operation; the tracker logs no messages of this level.
  case trace
  /// The result of a pass that merged transactions.
  case debug
  /// A start or a stop of the tracker.
  case info
  /// A condition that may need attention.
  case notice
  /// A condition that will need attention; the tracker logs no messages of this level.
  case warning
  /// A failure, such as a pass that failed.
  case error
  /// A failure that needs action: a hook that blocks all passes, or a member that must resync.
  case critical

  /// Orders levels by severity.
  public static func < (left: TrackerLogLevel, right: TrackerLogLevel) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A destination for a tracker's log messages.
///
/// The levels and the method match those of swift-log, so that a bridge is short:
/// ```swift
/// struct Bridge: TrackerLogger {
///   let logger = Logger(label: "history")
///   func log(level: TrackerLogLevel, message: String, metadata: [String: String]) {
///     logger.log(
///       level: Logger.Level(rawValue: level.rawValue) ?? .error, "\(message)",
///       metadata: metadata.mapValues { .string($0) })
///   }
/// }
/// ```
public protocol TrackerLogger: Sendable {
  /// Writes one message.
  ///
  /// The tracker waits for the call, so the method must return quickly.
  ///
  /// - Parameters:
  ///   - level: The severity of the message.
  ///   - message: The message, without the name of the member.
  ///   - metadata: A dictionary with the name of the tracker's member under the key `member`.
  func log(level: TrackerLogLevel, message: String, metadata: [String: String])
}

/// A logger that writes each message as a line to standard error: `[ERROR] app: message`.
public struct StandardErrorLogger: TrackerLogger {
  /// Creates a logger that writes to standard error.
  public init() {}

  /// Writes one line with a single unbuffered `write` call.
  public func log(level: TrackerLogLevel, message: String, metadata: [String: String]) {
    let member = metadata["member"].map { "\($0): " } ?? ""
    let line = Array("[\(level.rawValue.uppercased())] \(member)\(message)\n".utf8)
    line.withUnsafeBytes { bytes in
      // Drop a line that cannot be written to standard error: no other output is left to report the
      // error.
      _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

/// The log of one tracker, which builds a message only if its level is enabled.
struct TrackerLog: Sendable {
  private let level: TrackerLogLevel?
  private let logger: any TrackerLogger
  private let metadata: [String: String]

  init(_ member: MemberID, _ configuration: TrackerConfiguration) {
    level = configuration.logLevel
    logger = configuration.logger
    metadata = ["member": member.name]
  }

  /// Returns whether messages of a level are logged.
  func isEnabled(_ level: TrackerLogLevel) -> Bool {
    self.level.map { level >= $0 } ?? false
  }

  func write(_ level: TrackerLogLevel, _ message: @autoclosure () -> String) {
    guard isEnabled(level) else { return }
    logger.log(level: level, message: message(), metadata: metadata)
  }
}
