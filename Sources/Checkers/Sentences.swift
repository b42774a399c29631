import HistoryTypes
import Traces

extension Event {
  /// The name of the event's actor, for a sentence.
  var who: String { actor?.name ?? "the store" }

  /// Whether it notifies a member that history it needs is gone, by an event or by an error.
  var isExpiry: Bool {
    switch happening {
    case .expired: true
    case .ended(_, .failed(let failure)): failure.code == .expired
    default: false
    }
  }
}

extension Finding {
  /// Returns the contradiction as a sentence.
  func sentence(_ who: String, _ transaction: TransactionName?) -> String {
    let label = transaction.map { "#\($0)" } ?? "nothing"
    return switch self {
    case .unasked: "\(who) wrote \(label), which no command of the plan asked for"
    case .committedTwice: "\(who) wrote \(label), a second transaction for one write"
    case .failedAndCommitted: "\(who) got an error for its write, but it was committed"
    case .disagrees(let disagreement): disagreement.sentence(who, label)
    case .unfounded:
      "\(who)'s write was refused as a conflict, but nobody changed its objects since its view read them"
    case .refused(let message): "\(who)'s write failed, though nothing stood in its way: \(message)"
    case .data(let difference): difference.sentence(of: "the store's data", against: "the plan")
    }
  }
}

extension Disagreement {
  fileprivate func sentence(_ who: String, _ label: String) -> String {
    switch self {
    case .missing(let type, let object):
      "\(who) got the answer that its write changed \(label == "nothing" ? label : "other objects in \(label)"), "
        + "but it makes \(type.noun) of \(object)"
    case .invented(let type, let object):
      "\(who)'s write \(label) reports \(type.noun) of \(object), which it does not make"
    case .other(let type, let reported, let object):
      "\(who)'s write \(label) reports \(reported.map(\.noun).joined(separator: " and ")) of \(object), "
        + "but it makes \(type.noun)"
    }
  }
}

extension Difference {
  /// Returns the difference as a sentence.
  func sentence(of owner: String, against truth: String) -> String {
    switch self {
    case .lacks(let object): "\(owner) lacks \(object), which \(truth) has"
    case .adds(let object): "\(owner) still has \(object), which \(truth) does not"
    case .value(let object, let attribute, let expected, let found):
      "\(owner) says \(attribute) = \(found) for \(object), \(truth) says \(expected)"
    }
  }
}
