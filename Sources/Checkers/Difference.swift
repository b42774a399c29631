package import HistoryTypes
package import Traces

/// The first difference between two states of the data, in the order of object names.
package enum Difference: Hashable, Sendable {
  /// The state `from` of ``init(from:to:except:)`` has an object that the state `to` lacks.
  case lacks(ObjectName)
  /// The state `to` of ``init(from:to:except:)`` has an object that the state `from` lacks.
  case adds(ObjectName)
  /// An attribute has different values: the first is from the state `from`, the second from `to`.
  case value(ObjectName, attribute: String, Value, Value)

  /// The object that differs.
  package var object: ObjectName {
    switch self {
    case .lacks(let object), .adds(let object), .value(let object, _, _, _): object
    }
  }

  /// Finds the first difference between two states; `nil` if they are equal except for the given objects.
  ///
  /// An absent attribute counts as null; text is compared by its bytes.
  ///
  /// - Complexity: linear in the values.
  package init?(from first: Objects, to second: Objects, except: Set<ObjectName> = []) {
    var least: ObjectName?
    func consider(_ object: ObjectName) {
      guard !except.contains(object) else { return }
      least = least.map { min($0, object) } ?? object
    }
    var shared = 0
    for (object, values) in first {
      guard let others = second[object] else {
        consider(object)
        continue
      }
      shared += 1
      if !values.isSame(as: others) { consider(object) }
    }
    if shared < second.count {
      for object in second.keys where first[object] == nil { consider(object) }
    }
    guard let least else { return nil }
    self.init(least, first[least], second[least])
  }

  private init?(_ object: ObjectName, _ first: Values?, _ second: Values?) {
    guard let first else {
      self = .adds(object)
      return
    }
    guard let second else {
      self = .lacks(object)
      return
    }
    guard let attribute = first.firstDifference(from: second) else { return nil }
    self = .value(
      object,
      attribute: attribute,
      first[attribute] ?? .null,
      second[attribute] ?? .null
    )
  }
}

/// The first change in which a system's report differs from a write's net effect.
package enum Disagreement: Hashable, Sendable {
  /// The write changes the object, and the system does not report it.
  case missing(ChangeType, ObjectName)
  /// The system reports a change that the write does not make.
  case invented(ChangeType, ObjectName)
  /// The system reports a wrong type of change for the object, or too many changes of the object.
  case other(ChangeType, reported: [ChangeType], ObjectName)

  /// Compares the changes of a write with the reported ones; `nil` if they agree, in any order.
  ///
  /// A replaced object may be reported as an update, or as a delete and an insert. An update that
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
  /// The change type as a noun with its article, for a sentence: "an insert".
  var noun: String {
    switch self {
    case .insert: "an insert"
    case .update: "an update"
    case .delete: "a delete"
    }
  }
}

extension Event {
  /// The name of the event's actor, or "the store" if it has none, for use in a sentence.
  var who: String { actor?.name ?? "the store" }

  /// Whether the event shows that a member got an error because history which it needs was purged.
  var isExpiry: Bool {
    switch kind {
    case .expired: true
    case .ended(_, .failed(let failure)): failure.code == .expired
    default: false
    }
  }
}

extension Mismatch {
  /// Returns, as a sentence, how an event contradicts the plan.
  ///
  /// `who` is the event's actor, and `transaction` the transaction that the sentence is about.
  func sentence(_ who: String, _ transaction: TransactionName?) -> String {
    let label = transaction.map { "#\($0)" } ?? "nothing"
    let write = transaction.map { "\(who)'s write #\($0)" } ?? "\(who)'s write"
    return switch self {
    case .unasked: "\(who) wrote \(label), which no command of the plan asked for"
    case .committedTwice: "\(who) wrote \(label), a second transaction for one write"
    case .failedAndCommitted: "\(who) got an error for its write, but it was committed"
    case .disagrees(let disagreement): disagreement.sentence(who, label, write)
    case .unfounded:
      "\(who)'s write was refused as a conflict, but its objects have not changed since its view read them"
    case .refused(let message):
      "\(who)'s write failed, and the plan does not explain why: \(message)"
    case .accepted(let refusal):
      "\(write) succeeded, but the store must refuse it: \(refusal.sentence)"
    case .data(let difference): difference.sentence(of: "the store's data", against: "the plan")
    }
  }
}

extension Disagreement {
  fileprivate func sentence(_ who: String, _ label: String, _ write: String) -> String {
    switch self {
    case .missing(let type, let object):
      "\(who) got the answer that its write changed \(label == "nothing" ? label : "other objects in \(label)"), "
        + "but it makes \(type.noun) of \(object)"
    case .invented(let type, let object):
      "\(write) reports \(type.noun) of \(object), which it does not make"
    case .other(let type, let reported, let object):
      "\(write) reports \(reported.map(\.noun).joined(separator: " and ")) of \(object), "
        + "but it makes \(type.noun)"
    }
  }
}

extension Difference {
  /// Returns the difference as a sentence about the state's owner and the expected state.
  func sentence(of owner: String, against truth: String) -> String {
    switch self {
    case .lacks(let object): "\(owner) lacks \(object), which \(truth) has"
    case .adds(let object): "\(owner) still has \(object), which \(truth) does not"
    case .value(let object, let attribute, let expected, let found):
      "\(owner) says \(attribute) = \(found) for \(object), \(truth) says \(expected)"
    }
  }
}

extension Refusal {
  /// The reason why the store must refuse a write, as a clause.
  fileprivate var sentence: String {
    switch self {
    case .conflict: "another writer has changed its objects"
    case .denied:
      "an object that stays refers to a deleted one by a reference that denies the delete"
    case .duplicate: "two objects would have the same unique values"
    case .dangling: "an object would refer to one that does not exist"
    case .missing: "a required attribute would have no value"
    }
  }
}
