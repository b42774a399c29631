import PersistentHistory

/// The log of one tracker, which builds a message only if its level is enabled.
struct TrackerLog: Sendable {
  let actor: ActorID
  let level: TrackerLogLevel
  let logger: any TrackerLogger

  /// Logs an event: a start, a stop or a failure.
  func event(_ type: TrackerLogType, _ message: @autoclosure () -> String) {
    guard level >= .events else { return }
    logger.log(type, "\(actor): \(message())")
  }

  /// Logs a detail of normal operation.
  func detail(_ message: @autoclosure () -> String) {
    guard level >= .details else { return }
    logger.log(.debug, "\(actor): \(message())")
  }
}
