import Traces

/// The outcomes of one exploration's last moves, for explorations of plans with the same prefix.
///
/// The same commands after the same header give the same run, whatever else an exploration covers,
/// so a known outcome is not run again. Only moves at the greatest length are kept, about nine in
/// ten of all moves.
package struct KnownMoves: Sendable {
  /// The outcome of a move.
  struct Outcome: Sendable {
    /// The state that the move leads to, or `nil` if the move was refused.
    let likeness: UInt64?
    /// The invariants that the move broke.
    let broken: UInt64
    /// The invariants that were exercised and held up to and including the move.
    let held: UInt64
    /// The result of the closing phase.
    let conclusion: Conclusion
  }

  /// The result of a closing phase: the invariants that broke, and those exercised that held.
  struct Conclusion: Sendable {
    var broken: UInt64 = 0
    var held: UInt64 = 0
  }

  /// The known outcomes of the moves after one plan.
  struct Moves: Sendable {
    fileprivate let outcomes: [Int32: Outcome]
    fileprivate let places: [Command: Int32]

    /// Returns the outcome of a move, or `nil` if it was not run.
    subscript(command: Command) -> Outcome? { places[command].flatMap { outcomes[$0] } }
  }

  private var places: [Command: Int32] = [:]
  private var moves: [[Command]: [Int32: Outcome]] = [:]

  /// Stores the outcome of a move after a plan.
  mutating func keep(_ outcome: Outcome, of command: Command, after plan: [Command]) {
    let place = places[command] ?? Int32(places.count)
    places[command] = place
    moves[plan, default: [:]][place] = outcome
  }

  /// Returns the known outcomes of the moves after a plan, or `nil` if there are none.
  func moves(after plan: [Command]) -> Moves? {
    moves[plan].map { Moves(outcomes: $0, places: places) }
  }
}
