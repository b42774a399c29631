extension StoreCore {
  /// Tells other processes about a transaction that is committed, so that whoever is told can read it.
  func signal(_ written: WrittenTransaction) {
    configuration.witness?.signals(written.number)
    signalFile?.tell(written.number)
    configuration.onSignal?(written.number)
  }
}
