import Systems
import Traces

/// Storing the outcomes of last moves, and reusing those of an earlier exploration.
extension Explorer {
  /// Stores the outcome of a last move; `end` is `nil` if the move was refused.
  func keep(
    _ end: (likeness: UInt64, judge: Judge, node: Int)?,
    of command: Command,
    from open: Open
  ) {
    guard bounds.keepsMoves else { return }
    let outcome = KnownMoves.Outcome(
      likeness: end?.likeness,
      broken: end?.judge.broken ?? 0,
      held: end?.judge.conclusion.held ?? 0,
      conclusion: end.map { conclusions[$0.node] } ?? KnownMoves.Conclusion()
    )
    result.moves?.keep(outcome, of: command, after: tree.commands(to: open.node))
  }

  /// Applies the outcome that an earlier exploration recorded for a last move.
  func take(_ outcome: KnownMoves.Outcome, of command: Command, from open: Open) {
    guard let likeness = outcome.likeness else { return }
    let header = roots[open.root].header
    result.moveCount += 1
    result.exercised |= outcome.held
    note(outcome.broken, after: command, at: open.node, header)
    let key = StateKey(root: open.root, likeness: likeness)
    if let node = visited[key] { return tree.link(open.node, to: node) }
    let node = tree.add(command, after: open.node)
    visited[key] = node
    conclude(outcome.conclusion, at: node, header)
  }
}
