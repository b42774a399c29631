public import HistoryTypes
public import Traces

/// A plan: the members, and the commands in the order in which they run.
public struct HistoryPlan: Sendable {
  var plan: Plan

  init(_ plan: Plan) { self.plan = plan }

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
