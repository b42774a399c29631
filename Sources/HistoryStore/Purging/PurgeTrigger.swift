/// The condition under which a requested purge is carried out.
///
/// The number of notifications is counted by each process and starts again with it. This condition,
/// in contrast, is evaluated on the file, for all processes together.
public enum PurgeTrigger: Sendable, Hashable {
  /// At every request.
  case always
  /// A number of seconds after the last purge of any process, by the store's clock.
  ///
  /// The first purge is carried out immediately, as is one whose predecessor lies in the clock's
  /// future.
  case atIntervals(seconds: Double)
  /// When the share of history in the store, between 0 and 1 and without free pages, is larger.
  case whenLargerThan(share: Double)
}
