package import Traces

/// The result of running every plan of a plan space up to a length.
package struct Exploration: Sendable {
  /// The length up to which every plan was covered.
  package internal(set) var depth = 0
  /// The number of plans covered: each legal order of commands counts as one plan.
  package internal(set) var planCount = 0.0
  /// The number of states; equivalent states count once if they are merged.
  package internal(set) var stateCount = 0
  /// The number of moves from all states, including those known from an earlier exploration.
  package internal(set) var moveCount = 0
  /// The reason why the exploration ended.
  ///
  /// The default is ``Ending/complete``.
  package internal(set) var ending = Ending.complete
  /// The estimated number of states if the next length were run, when that is more than allowed.
  package internal(set) var foreseenStateCount: Int?
  /// The outcomes of the last moves, or `nil` unless ``ExplorationBounds/keepsMoves`` is set.
  package internal(set) var moves: KnownMoves?
  /// A shortest plan for each invariant that broke, by the invariant's number.
  package internal(set) var broken: [Int: Plan] = [:]
  /// The invariants that were exercised, broken or not, one bit each.
  package internal(set) var exercised: UInt64 = 0

  /// The reasons for which an exploration ends.
  package enum Ending: Sendable, Hashable {
    /// Every plan was covered.
    case complete
    /// The number of states exceeded the limit, or was estimated to exceed it.
    case outOfStates
    /// The progress closure returned `false`.
    case stopped
  }
}

/// The limits and options of an exploration.
package struct ExplorationBounds: Sendable, Hashable {
  /// The greatest number of commands in a plan.
  package var depth: Int
  /// The greatest number of states.
  package var stateCountMax: Int
  /// Whether the system is restored from snapshots.
  ///
  /// The default is `true`. If `false`, all commands that lead to a state are performed again
  /// before each move.
  package var putsStatesBack = true
  /// The greatest number of states of one length that are kept with snapshots.
  ///
  /// The default is 50,000. Any other state is reached by performing its commands again, once for
  /// all of its moves.
  package var keptCountMax = 50_000
  /// The number of states of a length from which the size of the next is estimated.
  ///
  /// The default is 1,000.
  package var foresightCountMin = 1_000
  /// Whether the outcomes of the last moves are kept for later explorations.
  ///
  /// The default is `false`.
  package var keepsMoves = false
  /// Whether equivalent states are merged.
  ///
  /// The default is `true`; if `false`, every plan is run.
  package var mergesStates = true
  /// The greatest number of pairs of merged plans that are sampled, to be continued afterwards.
  ///
  /// The default is 0.
  package var pairCountMax = 0
  /// The seed of the sample and of the continuations.
  package var pairSeed: UInt64 = 1

  package init(depth: Int, stateCountMax: Int) {
    self.depth = depth
    self.stateCountMax = stateCountMax
  }
}
