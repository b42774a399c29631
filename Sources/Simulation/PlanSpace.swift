package import Traces

/// A set of plans, given by its headers and the commands allowed after each prefix of a plan.
package protocol PlanSpace {
  /// The state of a plan prefix, as far as the allowed next commands depend on it.
  associatedtype Place

  /// The headers of the plans.
  var headers: [PlanHeader] { get }
  /// Whether the clock never goes back, so that anything older than a week stays so.
  var clockOnlyRises: Bool { get }
  /// Whether actors with equal configurations have the same moves.
  var treatsActorsAlike: Bool { get }
  /// Whether a power-off may occur, so that equivalent states must also leave equal data after one.
  var losesPower: Bool { get }
  /// Returns the state before the first command of a plan with a header.
  func start(_ header: PlanHeader) -> Place
  /// Returns the allowed next commands, always in the same order.
  func moves(from place: Place) -> [Command]
  /// Updates the state after a command and the events that it caused.
  func advance(_ place: inout Place, by action: Action, _ events: [Event])
  /// Adds everything that ``moves(from:)`` depends on.
  func describe(_ place: Place, _ state: inout StateSketch)
}

/// A judge of a run in progress: a value, so that a copy can follow another continuation.
///
/// Invariants are numbered from 0. Sets of invariants are words with one bit each.
package protocol PlanJudge {
  /// Creates a judge for a plan that has no commands and no events yet.
  init(_ header: PlanHeader)
  /// Adds a command to the plan.
  mutating func append(_ command: Command)
  /// Processes the next event.
  mutating func observe(_ event: Event)
  /// Adds everything that later results depend on; `tick` is the scheduler's current step.
  func describe(_ state: inout StateSketch, tick: Int)
  /// The invariants that are broken so far; no later event can repair them.
  var broken: UInt64 { get }
  /// The result after the last event: broken invariants, and exercised invariants that held.
  var conclusion: (broken: UInt64, held: UInt64) { get }
}
