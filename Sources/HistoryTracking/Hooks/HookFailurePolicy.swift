internal import PersistentHistory

/// The reaction of a tracker to a hook that throws.
public enum HookFailurePolicy: Sendable, Hashable {
  /// The pass fails and is retried, with increasing delays, until the hook succeeds or is removed.
  ///
  /// The cursor does not move, so no change is missed. Meanwhile the history after it is kept, and
  /// no member's purge goes beyond it. Each attempt is reported, with the time since the first
  /// failure.
  case retry
  /// The failed call is reported and abandoned; the other hooks and the merge continue.
  case skip
  /// The pass fails and the tracker stops without moving its cursor, until it is started again.
  case stop
}

/// A hook call that threw.
public struct HookFailure: Sendable, Hashable {
  /// The identity of the hook.
  public let hook: HookID
  /// The purpose of the hook, such as `insert of Item` or `merge`.
  public let name: String
  /// The failure policy of the hook.
  public let policy: HookFailurePolicy
  /// The number of the first transaction passed to the hook in that call.
  public let transaction: Int64
  /// A description of the error that the hook threw.
  public let reason: String
  /// The number of consecutive calls that threw, including this one.
  public let attemptCount: Int
  /// The time since the first of these consecutive failures.
  public let lasting: Duration
}

extension HookFailure: CustomStringConvertible {
  /// A sentence that describes the failure and its effect.
  public var description: String {
    let happened = "The hook for \(name) (\(hook)) threw at #\(transaction): \(reason)."
    return switch policy {
    case .skip: "\(happened) The call was given up."
    case .stop: "\(happened) The tracker stops."
    case .retry:
      "\(happened) It has thrown \(attemptCount.counted("time")) in \(lasting); history from there on is kept "
        + "until it succeeds or is removed."
    }
  }
}
