internal import Systems
public import Traces

extension [PlannedChange] {
  /// Applies the changes of one save to objects in order, and returns their net effect.
  ///
  ///     let net = changes.apply(to: &rows)
  ///     guard !net.isEmpty else { return nil }
  ///
  /// An insert of an object that exists, and an update or a delete of one that does not, are
  /// skipped. An insert and an update make an insert, a delete and an insert make an update, and an
  /// insert and a delete make no change.
  public func apply(to objects: inout Objects) -> [CommittedChange] { objects.apply(self).changes }
}
