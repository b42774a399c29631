public import HistoryTypes
public import Traces

/// An invariant of one's own, checked for each plan next to the built-in ones.
///
///     struct OnlyOneTransactionAtATime: HistoryChecker {
///       static let verifies = "a pass merges at most one transaction"
///       static let doesNotVerify = "what the transaction contains"
///       var verdict = HistoryVerdict.undecided("No member passed.")
///       init(_ plan: HistoryPlan) {}
///       mutating func observe(_ event: HistoryEvent) {
///         guard case .merged(let names) = event.kind else { return }
///         if names.count > 1 { verdict = .broken("\(event.member!) merged \(names.count) at once") }
///         else if case .undecided = verdict { verdict = .holds }
///       }
///     }
public protocol HistoryChecker: Sendable {
  /// The name of the invariant; the default is the type's name.
  static var name: String { get }
  /// The property that a passing plan proves, as a clause.
  static var verifies: String { get }
  /// The properties that a passing plan leaves open, as a clause.
  static var doesNotVerify: String { get }
  /// Creates a checker for a plan, before its first event.
  init(_ plan: HistoryPlan)
  /// Checks the next event.
  mutating func observe(_ event: HistoryEvent)
  /// The verdict on the events so far; once it is broken it must stay so.
  var verdict: HistoryVerdict { get }
}

extension HistoryChecker {
  /// The type's name.
  public static var name: String { "\(Self.self)" }
}

/// The verdict of a checker.
public enum HistoryVerdict: Hashable, Sendable {
  /// The invariant held, and the plan exercised it.
  case holds
  /// The invariant broke, for the reason given; a counterexample follows the lost transaction.
  case broken(String, losing: TransactionName? = nil)
  /// The plan does not suffice to decide, for the reason given.
  case undecided(String)
}

/// One event of a run.
public struct HistoryEvent: Hashable, Sendable {
  /// The kind of an event, and its details.
  public enum Kind: Hashable, Sendable {
    /// A command started; the word is that of ``HistoryCommand/word``.
    case started(String)
    /// The command ended; the text is the error if it failed.
    case ended(failure: String?)
    /// A member was launched, for the first time or again, at its cursor.
    case launched(isNew: Bool, cursor: TransactionName?)
    /// A member stopped, crashed or retired: the command's word says which.
    case left
    /// A save took effect.
    case saved(CommittedTransaction)
    /// A member fetched transactions.
    case fetched([TransactionName])
    /// A member merged transactions.
    case merged([TransactionName])
    /// A member's cursor was recorded.
    case recorded(TransactionName?)
    /// Transactions were purged.
    case purged([TransactionName])
    /// The content of a member's view, at the end of a plan.
    case view(Objects)
    /// The content of the store, at the end of a plan.
    case data(Objects)
    /// Any other event.
    case other
  }

  /// The position in the run, counted from 0.
  package let position: Int
  /// The member, or `nil` for the store and the clock.
  public let member: ActorID?
  /// The kind of the event.
  public let kind: Kind

  package init(_ event: Event) {
    position = event.at
    member = event.actor
    kind = Kind(event.happening)
  }
}

extension HistoryEvent.Kind {
  fileprivate init(_ happening: Happening) {
    self =
      switch happening {
      case .called(_, let word): .started(word)
      case .ended(_, .ok): .ended(failure: nil)
      case .ended(_, .failed(let failure)), .ended(_, .unknown(let failure)):
        .ended(failure: failure.message)
      case .registered(let cursor): .launched(isNew: true, cursor: cursor)
      case .launched(let cursor): .launched(isNew: false, cursor: cursor)
      case .stopped, .crashed, .retired: .left
      case .committed(let transaction): .saved(transaction)
      case .fetched(let names): .fetched(names)
      case .merged(let names): .merged(names)
      case .recorded(let cursor): .recorded(cursor)
      case .purged(let names): .purged(names)
      case .viewed(_, let objects): .view(objects)
      case .data(let objects): .data(objects)
      default: .other
      }
  }
}
