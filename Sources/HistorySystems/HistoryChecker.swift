public import HistoryTypes
public import Traces

/// A custom invariant, which is checked for each plan in addition to the built-in invariants.
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
  /// The name of the invariant. The default is the type's name.
  static var name: String { get }
  /// The property that holds in every plan that passes the check, as a clause.
  static var verifies: String { get }
  /// The properties that the checker does not check, as a clause; they may fail in a plan that
  /// passes.
  static var doesNotVerify: String { get }
  /// Creates a checker for one plan, before the plan's first event.
  init(_ plan: HistoryPlan)
  /// Checks the next event.
  mutating func observe(_ event: HistoryEvent)
  /// The verdict on the events so far; once it is `broken`, it must not change.
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
  /// The invariant broke for the given reason.
  ///
  /// `losing` is the transaction that a member lost, if any; reports show the events of this
  /// transaction.
  case broken(String, losing: TransactionName? = nil)
  /// The plan does not show whether the invariant holds, for the given reason.
  case undecided(String)
}

/// One event of a plan's run, such as a save, a merge, or the launch of a member.
public struct HistoryEvent: Hashable, Sendable {
  /// The kind of an event, and its details.
  public enum Kind: Hashable, Sendable {
    /// A command started; the text is its ``HistoryCommand/word``.
    case started(String)
    /// A command ended; `failure` is its error as text, or `nil` if it succeeded.
    case ended(failure: String?)
    /// A member was launched; `isNew` is `true` for its first launch.
    ///
    /// `cursor` is the member's recorded cursor; `nil` if none. A new member starts at the newest
    /// transaction.
    case launched(isNew: Bool, cursor: TransactionName?)
    /// A member stopped, crashed or retired.
    ///
    /// The ``started(_:)`` event before this one contains the command: `stop`, `crash` or `retire`.
    case left
    /// A save was committed.
    case saved(CommittedTransaction)
    /// A member fetched transactions.
    case fetched([TransactionName])
    /// A member merged transactions.
    case merged([TransactionName])
    /// A member recorded its cursor: the last transaction that it has merged; `nil` if none.
    case recorded(TransactionName?)
    /// Transactions were purged.
    case purged([TransactionName])
    /// The objects that a member has in memory (its view), at the end of a plan.
    case view(Objects)
    /// The objects in the store, at the end of a plan.
    case data(Objects)
    /// Any other event.
    case other
  }

  /// The position of the event in the run, from 0.
  package let position: Int
  /// The member of the event; `nil` for events of the store or the clock.
  public let member: ActorID?
  /// The kind of the event, with details.
  public let kind: Kind

  package init(_ event: Event) {
    position = event.at
    member = event.actor
    kind = Kind(event.kind)
  }
}

extension HistoryEvent.Kind {
  fileprivate init(_ kind: EventKind) {
    self =
      switch kind {
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

/// A custom checker, with its state during one run.
package struct OwnCheck {
  package let name: String
  private var checker: any HistoryChecker
  private var brokenAt: Int?
  private var last = 0

  package init(_ type: any HistoryChecker.Type, _ plan: HistoryPlan) {
    name = type.name
    checker = type.init(plan)
  }

  package var isBroken: Bool { brokenAt != nil }

  package mutating func observe(_ event: HistoryEvent) {
    guard brokenAt == nil else { return }
    checker.observe(event)
    last = event.position
    if case .broken = checker.verdict { brokenAt = last }
  }

  package var verdict: Verdict {
    switch checker.verdict {
    case .holds: .valid
    case .undecided(let because): .unknown(because)
    case .broken(let because, let transaction):
      .invalid(
        Violation(
          checker: name,
          at: brokenAt ?? last,
          because: because,
          transaction: transaction
        )
      )
    }
  }
}
