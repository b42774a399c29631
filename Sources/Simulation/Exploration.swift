package import Traces

/// What came of running every plan of a kind up to a length.
package struct Exploration: Sendable {
  /// The length up to which every plan was covered.
  package internal(set) var depth = 0
  /// How many plans that is, each legal order of commands counted.
  package internal(set) var planCount = 0.0
  /// How many states there are that differ in what can come of them.
  package internal(set) var stateCount = 0
  /// How many moves there were from all states, those that were known included.
  package internal(set) var moveCount = 0
  /// Why it ended before the length that was wanted, if it did.
  package internal(set) var ending = Ending.complete
  /// About how many states there are with the length that it did not begin, for there would be too many.
  package internal(set) var foreseenStateCount: Int?
  /// What its last moves came to, if that was to be kept.
  package internal(set) var moves: KnownMoves?
  /// A shortest plan for each invariant that broke, by the invariant's number.
  package internal(set) var broken: [Int: Plan] = [:]
  /// The invariants that were put to the test, broken or not, one bit each.
  package internal(set) var exercised: UInt64 = 0

  /// Why an exploration ended.
  package enum Ending: Sendable, Hashable {
    /// Every plan was covered.
    case complete
    /// There were more states than it was allowed.
    case outOfStates
    /// Somebody stopped it.
    case stopped
  }
}

/// How far an exploration goes.
package struct ExplorationBounds: Sendable, Hashable {
  /// The greatest number of commands of a plan.
  package var depth: Int
  /// The greatest number of states.
  package var stateCountMax: Int
  /// Whether the system is put back where a state stood; without it every command that led there is
  /// performed again before each move.
  package var putsStatesBack = true
  /// How many states of one length are kept whole, so that they need not be brought about again; others
  /// are once, for all of their moves.
  package var keptCountMax = 50_000
  /// From so many states of a length on it is told from them how many the next one has.
  package var foresightCountMin = 1_000
  /// Whether what the last moves came to is kept for others.
  package var keepsMoves = false
  /// Whether states that look alike are taken for one; without it every plan runs by itself.
  package var mergesStates = true

  package init(depth: Int, stateCountMax: Int) {
    self.depth = depth
    self.stateCountMax = stateCountMax
  }
}
