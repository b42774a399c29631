public import HistoryTypes
public import PropertyTesting
internal import Systems
public import Traces
package import Workloads

/// A plan: the members, and the commands in the order in which they run.
public struct HistoryPlan: Sendable {
  package var plan: Plan

  package init(_ plan: Plan) { self.plan = plan }

  /// The names of the members.
  public var members: [ActorID] { plan.header.actors.map(\.id) }

  /// The commands; one that its member cannot perform at its place is skipped.
  public var commands: [HistoryCommand] {
    get { plan.commands.map(HistoryCommand.init) }
    set { plan.commands = newValue.map(\.command) }
  }
}

/// One command of a plan.
///
///     plan.commands += [.stop("widget"), .wait(seconds: 86_400), .launch("widget"), .purge("app")]
public struct HistoryCommand: Hashable, Sendable {
  let command: Command

  init(_ command: Command) { self.command = command }
  private init(_ action: Action) { command = Command(action) }

  /// The word of the command, such as `pass`; a save has the word `write`.
  public var word: String { command.action.word }
  /// The member that acts, or `nil` for the clock.
  public var member: ActorID? { command.action.actor }

  /// Saves changes through a member's view, under its own author.
  public static func save(_ changes: [PlannedChange], by member: ActorID) -> HistoryCommand {
    HistoryCommand(.write(PlannedWrite(actor: member, changes: changes)))
  }
  /// Launches a member.
  public static func launch(_ member: ActorID) -> HistoryCommand { HistoryCommand(.launch(member)) }
  /// Stops a member.
  public static func stop(_ member: ActorID) -> HistoryCommand { HistoryCommand(.stop(member)) }
  /// Lets a member lose its memory.
  public static func crash(_ member: ActorID) -> HistoryCommand { HistoryCommand(.crash(member)) }
  /// Fetches, merges and records.
  public static func pass(_ member: ActorID) -> HistoryCommand { HistoryCommand(.pass(member)) }
  /// Purges what every member has merged.
  public static func purge(_ member: ActorID) -> HistoryCommand { HistoryCommand(.purge(member)) }
  /// Lets time pass.
  public static func wait(seconds: Double) -> HistoryCommand {
    HistoryCommand(.clock(advance: seconds))
  }
}

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
  package var name: String { own?.name ?? known?.rawValue ?? "" }

  /// The condition of generated plans; `nil` for a condition of one's own.
  package var known: Condition? {
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
  package var own: (any PlanCondition)? {
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
/// the source and from nothing else, so that a plan can be shrunk and repeated. Plans have one entity,
/// `Item`, with the text `title` and the whole number `count`; a plan with any other name is an error.
public protocol PlanCondition: Sendable {
  /// The name, as reports print it.
  var name: String { get }
  /// Changes a plan that was drawn.
  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource)
}

extension PlanCondition {
  /// Returns a plan as this condition changes it.
  ///
  /// - Throws: A `SystemFailure` if a command names a member, an entity or an attribute that the plan
  ///   does not have: its counterexample could not be replayed.
  package func changed(
    _ plan: Plan,
    _ source: inout ChoiceSource
  ) throws(SystemFailure) -> Plan {
    var changed = HistoryPlan(plan)
    change(&changed, &source)
    do {
      _ = try PlanCodec.decode(PlanCodec.encode(changed.plan))
    } catch {
      throw SystemFailure(
        .failed,
        "the condition \"\(name)\" makes a plan with a mistake, \(error)"
      )
    }
    return changed.plan
  }
}
