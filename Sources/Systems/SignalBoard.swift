/// Where the store says that it has told of a commit.
///
/// Whoever is told looks at once, as a process does that the signal wakes: what is told before it can
/// be seen is told to nobody. It is touched by whoever performs a plan's commands, on one thread.
final class SignalBoard: @unchecked Sendable {
  private var isRaised = false
  /// The number of the newest transaction that others can see; nothing where nobody follows signals,
  /// or nobody can tell.
  var visible: (@Sendable () -> Int64?)?

  /// Notes a signal of a transaction.
  func raise(_ number: Int64) {
    guard let seen = visible?() else {
      isRaised = true
      return
    }
    if seen >= number { isRaised = true }
  }

  /// Whether anything was signalled since the last time that this was asked.
  func take() -> Bool {
    defer { isRaised = false }
    return isRaised
  }
}
