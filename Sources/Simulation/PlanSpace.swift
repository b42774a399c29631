package import Traces

/// All plans of a kind: who may take part, and what may be done next wherever a plan stands.
package protocol PlanSpace {
  /// Where a plan stands, as far as what may be done next depends on it.
  associatedtype Place

  /// The headers of the plans.
  var headers: [PlanHeader] { get }
  /// Whether nothing turns the clock back, so that what is a week old stays so.
  var clockOnlyRises: Bool { get }
  /// Whether the power may go, so that states are the same only if it would also leave the same.
  var losesPower: Bool { get }
  /// Where a plan with a header begins.
  func start(_ header: PlanHeader) -> Place
  /// What may be done next, always in the same order.
  func moves(from place: Place) -> [Command]
  /// Takes in a command and what happened.
  func advance(_ place: inout Place, by action: Action, _ events: [Event])
  /// Adds what ``moves(from:)`` depends on.
  func describe(_ place: Place, _ state: inout StateSketch)
}

/// Whoever judges a run while it unfolds: a value, so that a copy of it can go another way.
///
/// Invariants are numbered from 0; sets of them are words of one bit each.
package protocol PlanJudge {
  /// Starts before the first event of a plan that has no command yet.
  init(_ header: PlanHeader)
  /// The plan goes on with a command.
  mutating func append(_ command: Command)
  /// Takes the next event in.
  mutating func observe(_ event: Event)
  /// Adds everything that later answers depend on; the tick is the scheduler's present step.
  func describe(_ state: inout StateSketch, tick: Int)
  /// The invariants that are broken by now, whatever comes.
  var broken: UInt64 { get }
  /// The answers after the last event: the invariants that broke, and those that held and were put to
  /// the test.
  var conclusion: (broken: UInt64, held: UInt64) { get }
}
