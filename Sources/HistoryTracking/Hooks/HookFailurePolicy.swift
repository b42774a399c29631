internal import PersistentHistory

/// What a tracker does when a hook throws.
public enum HookFailurePolicy: Sendable, Hashable {
  /// The pass fails and is repeated, with longer and longer pauses, until the hook does not throw any
  /// more or is removed.
  ///
  /// The cursor stays where it is, so nothing is missed; but history after it is kept for as long,
  /// and nobody's purge goes beyond it. Each attempt is reported, with how long that has been so.
  case retry
  /// The call is given up: it is reported, and the other hooks and the merge go on.
  case skip
  /// The pass fails and the tracker stops, its cursor where it is, until somebody starts it again.
  case stop
}

/// A call of a hook that threw.
public struct HookFailure: Sendable, Hashable {
  /// Which hook.
  public let hook: HookID
  /// What the hook is for, as `insert of Item` or `merge`.
  public let name: String
  /// What becomes of the pass.
  public let policy: HookFailurePolicy
  /// The first transaction that the hook was told about in that call.
  public let transaction: Int64
  /// What it threw, in words.
  public let reason: String
  /// How many calls in a row have thrown, this one included.
  public let attemptCount: Int
  /// How long that has been so, from the first of them.
  public let lasting: Duration
}

extension HookFailure: CustomStringConvertible {
  /// What happened, and what it holds up, in a sentence.
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
