import PersistentHistory

/// The messages of one tracker, made only when somebody wants them.
struct TrackerLog: Sendable {
  let actor: ActorID
  let level: TrackerLogLevel
  let logger: any TrackerLogger

  /// Logs an event: a start, a stop, or something that went wrong.
  func event(_ type: TrackerLogType, _ message: @autoclosure () -> String) {
    guard level >= .events else { return }
    logger.log(type, "\(actor): \(message())")
  }

  /// Logs what was done.
  func detail(_ message: @autoclosure () -> String) {
    guard level >= .details else { return }
    logger.log(.debug, "\(actor): \(message())")
  }
}
