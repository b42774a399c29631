/// When a purge that is asked for takes place.
///
/// How often somebody was notified is counted by whoever is: it begins anew with each process. What is
/// decided here is decided by the file, for all processes together.
public enum PurgeTrigger: Sendable, Hashable {
  /// Whenever it is asked for.
  case always
  /// When the last purge of any process is so many seconds ago by the store's clock, or lies in the
  /// future of that clock; the first is due at once.
  case atIntervals(seconds: Double)
  /// When history takes more than this share of the store, between 0 and 1, free pages left out.
  case whenLargerThan(share: Double)
}
