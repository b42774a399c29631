/// The consecutive failures of each hook: their number and the time of the first.
struct HookTroubles: Sendable {
  private struct Trouble: Sendable {
    var attemptCount = 0
    let since: Duration
  }

  private var troubles: [HookID: Trouble] = [:]

  /// Counts a call that threw, and returns how many in a row have thrown and for how long.
  mutating func note(
    _ hook: HookID,
    at now: Duration
  ) -> (attemptCount: Int, lasting: Duration) {
    var trouble = troubles[hook] ?? Trouble(since: now)
    trouble.attemptCount += 1
    troubles[hook] = trouble
    return (trouble.attemptCount, now - trouble.since)
  }

  /// Clears the failures of a hook that succeeded or was removed.
  mutating func forget(_ hook: HookID) {
    if !troubles.isEmpty { troubles[hook] = nil }
  }
}
