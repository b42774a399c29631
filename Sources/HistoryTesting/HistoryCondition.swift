public import PropertyTesting
internal import Traces
internal import Workloads

/// A difficult condition that plans may contain.
///
///     try await checkHistory(of: MyTracker.self, under: [.ties, .crash, .own(PurgeAfterEachPass())])
///
/// Members that share one store write, pass and purge in every plan.
public enum HistoryCondition: Sendable {
  /// A clock that rises strictly, without any difficulty.
  case steady
  /// Saves at the same time as the save before.
  case ties
  /// A clock that steps back by seconds.
  case clockBack
  /// A clock that jumps by days, mostly forward.
  case clockJump
  /// Days without any commands.
  case pause
  /// Members that lose their memory between any two steps.
  case crash
  /// Members that stop and are launched again.
  case restart
  /// Members whose first launch comes when there is history already.
  case lateJoin
  /// Members that share an author, and saves under another member's author.
  case sameAuthorTwice
  /// Saves and members without an author.
  case absentAuthor
  /// A condition of one's own.
  case own(any PlanCondition)

  /// The name, as reports print it.
  var name: String { own?.name ?? known?.rawValue ?? "" }

  /// The condition of generated plans; `nil` for a condition of one's own.
  var known: Condition? {
    switch self {
    case .steady: .steady
    case .ties: .ties
    case .clockBack: .clockBack
    case .clockJump: .clockJump
    case .pause: .pause
    case .crash: .crash
    case .restart: .restart
    case .lateJoin: .lateJoin
    case .sameAuthorTwice: .sameAuthorTwice
    case .absentAuthor: .absentAuthor
    case .own: nil
    }
  }

  /// The condition of one's own, or `nil`.
  var own: (any PlanCondition)? {
    if case .own(let condition) = self { condition } else { nil }
  }
}

/// A condition of one's own: it changes each plan that was drawn.
///
///     struct PurgeAfterEachPass: PlanCondition {
///       let name = "purge-after-each-pass"
///       func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource) {
///         plan.commands = plan.commands.flatMap { command in
///           command.word == "pass" ? [command, .purge(command.member ?? "app")] : [command]
///         }
///       }
///     }
///
/// It may also replace all commands by those of a generator, as a workload of one's own. Draw from
/// the source and from nothing else, so that a plan can be shrunk and repeated.
public protocol PlanCondition: Sendable {
  /// The name, as reports print it.
  var name: String { get }
  /// Changes a plan that was drawn.
  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource)
}
