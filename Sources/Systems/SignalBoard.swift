/// The record of the commits that the store has signalled.
///
/// A signalled actor polls at once, like a process that a signal wakes. A signal is therefore dropped
/// if its transaction is not visible yet. Only the thread that performs a plan's commands uses the
/// board.
final class SignalBoard: @unchecked Sendable {
  private var isRaised = false
  /// The numbers of the transactions that were signalled since the plan started, in order.
  private(set) var reported: [Int64] = []
  /// The number of the newest visible transaction.
  ///
  /// The closure is `nil` if the plan is not driven by signals; it returns `nil` if the store
  /// cannot be read.
  var visible: (@Sendable () -> Int64?)?

  /// Records a signal of a transaction.
  func raise(_ number: Int64) {
    reported.append(number)
    guard let seen = visible?() else {
      isRaised = true
      return
    }
    if seen >= number { isRaised = true }
  }

  /// Discards all signals, for the next plan.
  func reset() {
    isRaised = false
    reported.removeAll(keepingCapacity: true)
  }

  /// Returns whether any commit was signalled since the last call of this function.
  func take() -> Bool {
    defer { isRaised = false }
    return isRaised
  }
}
