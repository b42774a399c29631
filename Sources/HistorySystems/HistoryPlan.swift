public import HistoryTypes
public import PropertyTesting
internal import Systems
public import Traces
package import Workloads

/// A test input: the processes that share a store (members), and their commands in order.
public struct HistoryPlan: Sendable {
  package var plan: Plan

  package init(_ plan: Plan) { self.plan = plan }

  /// The names of the plan's members.
  public var members: [ActorID] { plan.header.actors.map(\.id) }

  /// The commands; a command is skipped if its member cannot perform it at that point.
  public var commands: [HistoryCommand] {
    get { plan.commands.map(HistoryCommand.init) }
    set { plan.commands = newValue.map(\.command) }
  }
}

/// One command of a plan.
///
///     plan.commands += [.stop("widget"), .wait(.seconds(86_400)), .launch("widget"), .purge("app")]
public struct HistoryCommand: Hashable, Sendable {
  let command: Command

  init(_ command: Command) { self.command = command }
  private init(_ action: Action) { command = Command(action) }

  /// The command's name in plan files, such as `pass`; that of a save is `write`.
  public var word: String { command.action.word }
  /// The member that performs the command; `nil` if the command moves the clock.
  public var member: ActorID? { command.action.actor }

  /// Changes a member's objects in memory (its view), and saves them under the member's own author.
  public static func save(_ changes: [PlannedChange], by member: ActorID) -> HistoryCommand {
    HistoryCommand(.write(PlannedWrite(actor: member, changes: changes)))
  }
  /// Starts a member; the first launch also registers it.
  public static func launch(_ member: ActorID) -> HistoryCommand { HistoryCommand(.launch(member)) }
  /// Stops a member normally; it stays registered and can be launched again.
  public static func stop(_ member: ActorID) -> HistoryCommand { HistoryCommand(.stop(member)) }
  /// Crashes a member, so that it loses everything in memory.
  public static func crash(_ member: ActorID) -> HistoryCommand { HistoryCommand(.crash(member)) }
  /// Makes a member fetch the new transactions, merge them and record its cursor.
  public static func pass(_ member: ActorID) -> HistoryCommand { HistoryCommand(.pass(member)) }
  /// Makes a member purge the transactions that every member has merged.
  public static func purge(_ member: ActorID) -> HistoryCommand { HistoryCommand(.purge(member)) }
  /// Advances the clock; a negative duration sets it back.
  public static func wait(_ duration: Duration) -> HistoryCommand {
    HistoryCommand(.clock(advance: duration.inSeconds))
  }
}

extension [PlannedChange] {
  /// Applies the changes of one save to objects, in order, and returns the net changes.
  ///
  ///     let net = changes.apply(to: &rows)
  ///     guard !net.isEmpty else { return nil }
  ///
  /// An insert is skipped if the object exists. An update or a delete is skipped if the object does
  /// not exist. The changes of one object are combined: an insert and an update result in an insert,
  /// a delete and an insert result in an update, and an insert and a delete result in no change.
  public func apply(to objects: inout Objects) -> [CommittedChange] { objects.apply(self).changes }
}

/// A difficulty that plans may contain, such as crashes or equal timestamps.
///
///     try await checkHistory(of: MyTracker.self, under: [.ties, .crash, .own(PurgeAfterEachPass())])
///
/// Under every condition, the members of a plan share a store, save changes, merge the changes of
/// other members, and purge history if the system can purge.
public enum HistoryCondition: Sendable {
  /// No difficulty: the clock advances before each save, and no member crashes.
  case steady
  /// Equal timestamps: some saves have the timestamp of the previous save.
  case ties
  /// A clock that is set back by seconds.
  case clockBack
  /// A clock that jumps by days, in most cases forward.
  case clockJump
  /// Pauses of days in which no member performs a command.
  case pause
  /// Crashes, between any two steps, in which members lose their in-memory state.
  case crash
  /// Members that stop and are launched again.
  case restart
  /// Members whose first launch comes when history already has transactions.
  case lateJoin
  /// Members that share an author, and saves under the author of another member.
  case sameAuthorTwice
  /// Missing authors: some saves, or some members, have no author.
  case absentAuthor
  /// A custom condition.
  case own(any PlanCondition)

  /// The condition's name in reports.
  package var name: String { own?.name ?? known?.rawValue ?? "" }

  /// The built-in condition; `nil` for a custom condition.
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

  /// The custom condition; `nil` for a built-in condition.
  package var own: (any PlanCondition)? {
    if case .own(let condition) = self { condition } else { nil }
  }
}

/// A custom condition, which changes each generated plan.
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
/// A condition can also serve as a custom workload: it may replace all commands by commands that it
/// generates. Use only the given source for random choices, so that a plan can be shrunk and
/// repeated.
///
/// Plans have one entity, `Item`, with the text `title` and the whole number `count`; a command with
/// another entity, attribute or member is an error.
public protocol PlanCondition: Sendable {
  /// The condition's name in reports.
  var name: String { get }
  /// Changes a generated plan.
  ///
  /// - Parameters:
  ///   - plan: The plan; the built-in conditions have already changed it.
  ///   - source: The only source of random choices that the method may use.
  func change(_ plan: inout HistoryPlan, _ source: inout ChoiceSource)
}

extension PlanCondition {
  /// Returns a copy of a plan, changed by ``change(_:_:)``.
  ///
  /// A condition is a difficulty that is added to plans, or a custom workload.
  ///
  /// - Throws: A `SystemFailure` if a command names a member, an entity or an attribute that the
  ///   plan does not have; a counterexample with such a command could not be replayed.
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
        "the condition \"\(name)\" makes an invalid plan: \(error)"
      )
    }
    return changed.plan
  }
}
