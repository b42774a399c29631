/// When a write tells other processes about itself.
package enum SignalMoment: Sendable, Hashable {
  /// Before its commit: a reader may look too early.
  case beforeCommit
  /// After its commit: whoever is told can read it.
  case afterCommit
}

extension StoreCore {
  /// Tells other processes about a transaction, if this is the moment for it.
  func signal(_ written: WrittenTransaction, _ moment: SignalMoment) {
    guard signalFile != nil || configuration.onSignal != nil, rules.signalMoment == moment,
      rules.signals(written.number)
    else { return }
    signalFile?.tell(written.number)
    configuration.onSignal?(written.number)
  }
}
