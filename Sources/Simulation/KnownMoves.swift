import Traces

/// What the last moves of one exploration came to, for others whose plans begin alike.
///
/// The same commands after the same header are the same run, whatever else an exploration goes through:
/// what is known of it is not run again. It is kept for moves from the longest plans but one, which are
/// nine in ten.
package struct KnownMoves: Sendable {
  /// What a move came to.
  struct Outcome: Sendable {
    /// The state that it leads to; nothing when the move was refused.
    let likeness: UInt64?
    /// The invariants that it broke.
    let broken: UInt64
    /// The invariants that it and what came before had put to the test.
    let held: UInt64
    /// The answers after a closing phase.
    let conclusion: Conclusion
  }

  /// The answers after a closing phase: the invariants that broke, and those that held.
  struct Conclusion: Sendable {
    var broken: UInt64 = 0
    var held: UInt64 = 0
  }

  /// What is known of the moves after one plan.
  struct Moves: Sendable {
    fileprivate let outcomes: [Int32: Outcome]
    fileprivate let places: [Command: Int32]

    /// What a move came to, or nothing when it was not run.
    subscript(command: Command) -> Outcome? { places[command].flatMap { outcomes[$0] } }
  }

  private var places: [Command: Int32] = [:]
  private var moves: [[Command]: [Int32: Outcome]] = [:]

  /// Keeps what a move after a plan came to.
  mutating func keep(_ outcome: Outcome, of command: Command, after plan: [Command]) {
    let place = places[command] ?? Int32(places.count)
    places[command] = place
    moves[plan, default: [:]][place] = outcome
  }

  /// What is known of the moves after a plan, or nothing.
  func moves(after plan: [Command]) -> Moves? {
    moves[plan].map { Moves(outcomes: $0, places: places) }
  }
}
