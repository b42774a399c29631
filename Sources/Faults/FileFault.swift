internal import CSQLite

/// A failure of one or more file system calls.
///
/// Without `file` or `call`, the fault counts every call that its kind can make fail, so that a
/// loop over `k` reaches each of them in turn.
package struct FileFault: Sendable, Hashable {
  /// The kind of failure.
  package var kind: Kind
  /// The kind of file whose calls are counted, or `nil` for all.
  package var file: FileKind?
  /// The call that is counted, or `nil` for all.
  package var call: FileCall?
  /// The number of the first counted call that fails, from 1.
  package var k: Int
  /// Whether all later counted calls fail too.
  ///
  /// The default is `false`.
  package var from: Bool
  /// The effect of a power-off on unsynced writes; ignored by the other kinds.
  package var loss: PowerLoss

  /// Creates a fault; it takes effect once a file system is armed with it.
  package init(
    _ kind: Kind,
    file: FileKind? = nil,
    call: FileCall? = nil,
    k: Int,
    from: Bool = false,
    loss: PowerLoss = PowerLoss()
  ) {
    self.kind = kind
    self.file = file
    self.call = call
    self.k = k
    self.from = from
    self.loss = loss
  }

  /// The power loss if the fault is a power-off, else `nil`.
  var power: PowerLoss? { kind == .powerOff ? loss : nil }

  /// The kinds of failure; the raw value is the word for it in a plan.
  package enum Kind: String, CaseIterable, Sendable, Hashable {
    /// The call fails with its `SQLITE_IOERR_*` (`SQLITE_CANTOPEN` for an open) and has no effect.
    case ioError
    /// A write fails with `SQLITE_FULL` and has no effect.
    case full
    /// A lock fails with `SQLITE_BUSY`, as if another process held it.
    case busy
    /// A read gets the first half of its bytes and then zeros, as if the file ended there.
    ///
    /// In the log, the statement fails. In the database, SQLite treats the page as never written:
    /// it reports no error, and the missing half is lost for good once it writes the page back.
    case shortRead
    /// A sync reports success, but takes effect only with the file's next sync.
    case delay
    /// The power goes off: this call and all others fail until the power is on again.
    case powerOff
  }

  /// Returns the code that the fault gives a call, or `nil` if the fault does not count the call.
  func code(for call: FileCall, on file: FileKind) -> Int32? {
    guard self.file ?? file == file, self.call ?? call == call else { return nil }
    switch (kind, call) {
    case (.ioError, _): return ExtendedCode.failure(of: call, on: file)
    case (.full, .write): return SQLITE_FULL
    case (.busy, .lock): return SQLITE_BUSY
    case (.shortRead, .read): return ExtendedCode.shortRead
    case (.delay, .sync): return ExtendedCode.delayed
    case (.powerOff, _): return ExtendedCode.failure(of: call, on: file)
    default: return nil
    }
  }
}
