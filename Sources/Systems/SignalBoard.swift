import Synchronization

/// Where the store says that it has told other processes about a commit.
final class SignalBoard: Sendable {
  private let isRaised = Atomic<Bool>(false)

  /// Notes a signal.
  func raise() { isRaised.store(true, ordering: .relaxed) }

  /// Whether anything was signalled since the last time that this was asked.
  func take() -> Bool { isRaised.exchange(false, ordering: .relaxed) }
}
