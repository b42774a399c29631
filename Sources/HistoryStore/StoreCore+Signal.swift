extension StoreCore {
  /// Signals a committed transaction to other processes, which can already read it.
  func signal(_ written: WrittenTransaction) {
    configuration.witness?.signals(written.number)
    signalFile?.tell(written.number)
    configuration.onSignal?(written.number)
  }
}
