package import HistoryTypes
package import Traces

/// The first change in which a system's report differs from a write's net effect.
package enum Disagreement: Hashable, Sendable {
  /// The write changes the object, and the system does not report it.
  case missing(ChangeType, ObjectName)
  /// The system reports a change that the write does not make.
  case invented(ChangeType, ObjectName)
  /// The system reports a different change of the object, or several.
  case other(ChangeType, reported: [ChangeType], ObjectName)

  /// Compares changes in any order; `nil` if they agree.
  ///
  /// A replaced object may be reported as an update or as a delete and an insert. An update that
  /// changed no value may be reported or left out.
  ///
  /// - Complexity: linear in the changes.
  init?(net: [NetChange], reported: [CommittedChange]) {
    if Self.agreeInOrder(net, reported) { return nil }
    var types: [ObjectName: [ChangeType]] = [:]
    for change in reported { types[change.object, default: []].append(change.type) }
    for change in net {
      let reported = types.removeValue(forKey: change.object) ?? []
      guard let type = change.type, !Self.isReported(change, type, by: reported) else { continue }
      self =
        reported.isEmpty
        ? .missing(type, change.object) : .other(type, reported: reported, change.object)
      return
    }
    guard let invented = reported.first(where: { types[$0.object] != nil }) else { return nil }
    self = .invented(invented.type, invented.object)
  }

  private static func agreeInOrder(_ net: [NetChange], _ reported: [CommittedChange]) -> Bool {
    guard net.count == reported.count else { return false }
    for (left, right) in zip(net, reported) {
      guard left.type == right.type, left.object == right.object else { return false }
    }
    return true
  }

  private static func isReported(
    _ change: NetChange,
    _ type: ChangeType,
    by reported: [ChangeType]
  ) -> Bool {
    if reported == [type] { return true }
    guard type == .update else { return false }
    guard !reported.isEmpty else { return !change.changesValues }
    return change.isReplacement && reported.count == 2 && Set(reported) == [.delete, .insert]
  }
}

extension ChangeType {
  /// The change as a noun with its article, for a sentence.
  var noun: String {
    switch self {
    case .insert: "an insert"
    case .update: "an update"
    case .delete: "a delete"
    }
  }
}
