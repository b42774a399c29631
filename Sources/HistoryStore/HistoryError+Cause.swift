import SQLiteStorage

extension HistoryError {
  /// Whether another connection held the lock longer than the busy timeout; retrying can help.
  public var isBusy: Bool { hasCause(.busy) }

  /// Whether the disk or the quota is full.
  public var isFull: Bool { hasCause(.full) }

  /// Whether reading or writing the file failed.
  public var isInputOutput: Bool { hasCause(.io) }

  private func hasCause(_ cause: SQLiteError.Cause) -> Bool {
    if case .sqlite(let error) = self { error.cause == cause } else { false }
  }
}
