internal import CSQLite

/// One failure of the file system: which call it strikes, and with what.
///
/// Without `file` or `call` it counts every call that its kind can make fail, so that a loop over
/// `k` reaches each of them in turn.
package struct FileFault: Sendable, Hashable {
  /// The kind of failure.
  package var kind: Kind
  /// The kind of file whose calls are counted; nil for all.
  package var file: FileKind?
  /// The call that is counted; nil for all.
  package var call: FileCall?
  /// Which of the counted calls is the first to fail, from 1.
  package var k: Int
  /// True if all later ones fail too.
  package var from: Bool
  /// What a power-off does to what was not synced.
  package var loss: PowerLoss

  /// Makes a fault; it acts once a file system is armed with it.
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

  /// The power-off that the fault is, if it is one.
  var power: PowerLoss? { kind == .powerOff ? loss : nil }

  /// What a file system can do to a call; the raw value is the word for it in a plan.
  package enum Kind: String, CaseIterable, Sendable, Hashable {
    /// The call fails with its `SQLITE_IOERR_*` (`SQLITE_CANTOPEN` for an open) and does nothing.
    case ioError
    /// A write fails with `SQLITE_FULL` and does nothing.
    case full
    /// A lock fails with `SQLITE_BUSY`, as if another process held it.
    case busy
    /// A read gets the first half of its bytes and then zeros, as if the file ended there.
    ///
    /// In the log it fails the statement. In the database SQLite takes it for a page that was never
    /// written: no error, and what it then writes back has lost that half for good.
    case shortRead
    /// A sync is acknowledged, and takes place only with the file's next one.
    case delay
    /// The power goes: the call fails, and so does every other until it is on again.
    case powerOff
  }

  /// The code that the fault gives a call; nil if it is not one that it counts.
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
