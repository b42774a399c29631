import Faults
import Systems
package import Traces

/// A self-test of the explorer, which continues plans from only one of several equivalent states.
///
/// Two plans that lead to equivalent states are both continued here, and must have equal outcomes.
extension Explorer {
  /// Two plans that lead to equivalent states, which count as one state.
  struct MergedPair {
    /// The index in `roots` of the header that both plans share.
    let root: Int
    let first: [Command]
    let second: [Command]
  }

  /// Offers a pair of plans, which lead to equivalent states, to the random sample of pairs.
  ///
  /// The first plan leads to the state `node` and continues with `command`. The second plan leads
  /// to the state `known`, which was reached before. `root` is the index of their header in `roots`.
  /// If the sample is full, the pair replaces a random pair or is dropped. So each offered pair is
  /// in the sample with the same probability.
  func noteMerge(of command: Command, after node: Int, root: Int, with known: Int) {
    guard bounds.pairCountMax > 0 else { return }
    mergeCount += 1
    let place =
      pairs.count < bounds.pairCountMax ? pairs.count : Int(random.next() % UInt64(mergeCount))
    guard place < bounds.pairCountMax else { return }
    let pair = MergedPair(
      root: root,
      first: tree.commands(to: node) + [command],
      second: tree.commands(to: known)
    )
    if place == pairs.count { pairs.append(pair) } else { pairs[place] = pair }
  }

  /// Continues both plans of each pair by corresponding random commands, and compares the outcomes.
  ///
  /// The pairs are a random sample of the pairs of plans that led to merged states.
  ///
  /// - Returns: the number of pairs, and a sentence for each pair whose plans differ in an event, a
  ///   verdict or a state during the continuation.
  /// - Throws: ``SystemFailure`` when the system cannot start or be inspected.
  /// - Complexity: for each pair, the number of commands in both plans and in the continuation.
  package func continuePairs(
    by length: Int
  ) throws(SystemFailure) -> (count: Int, differences: [String]) {
    var differences: [String] = []
    for pair in pairs {
      let seed = random.next()
      let first = try continuation(of: pair.first, pair.root, length, seed)
      let second = try continuation(of: pair.second, pair.root, length, seed)
      guard
        let step = zip(first, second).enumerated().first(where: { $0.element.0 != $0.element.1 })
      else { continue }
      differences.append(
        "the states after \(pair.first.map(\.action.word)) and \(pair.second.map(\.action.word)) "
          + "were merged, but outcomes of commands differ after \(step.offset) more commands"
      )
    }
    return (pairs.count, differences)
  }

  /// The outcome of one command.
  private struct Step: Comparable {
    let words: [String]
    let broken: UInt64
    let key: UInt64

    static func < (left: Step, right: Step) -> Bool {
      (left.key, left.broken, left.words.joined()) < (right.key, right.broken, right.words.joined())
    }
  }

  /// Continues a plan by up to `length` random commands, and returns the outcomes on the way.
  ///
  /// The result has an element for each state from which the plan is continued: the sorted outcomes
  /// of all commands that are possible there. The caller compares the results for two plans that
  /// led to equivalent states. In such states, actors with equal configurations may be exchanged.
  /// The commands of the two plans are therefore matched by their outcomes, not by their actors.
  private func continuation(
    of commands: [Command],
    _ root: Int,
    _ length: Int,
    _ seed: UInt64
  ) throws(SystemFailure) -> [[Step]] {
    let header = roots[root].header
    let numbers = RandomState(seed)
    var (judge, place, done) = (Judge(header), space.start(header), commands)
    try open(root) { judge.observe($0) }
    for (index, command) in commands.enumerated() {
      perform(command, index, in: header, &judge, &place)
    }
    var continuation: [[Step]] = []
    while continuation.count < length, !simulator.isBeyondRepair {
      let kept = Kept(place: place, judge: judge, snapshot: try snapshot())
      var outcomes: [(step: Step, command: Command)] = []
      for command in space.moves(from: place) {
        try simulator.goBack(to: kept.snapshot, header, performing: done)
        (judge, place) = (kept.judge, kept.place)
        let step = try step(command, done.count, root, &judge, &place)
        outcomes.append((step, command))
      }
      outcomes.sort { $0.step < $1.step }
      continuation.append(outcomes.map(\.step))
      guard !outcomes.isEmpty else { break }
      let next = outcomes[Int(numbers.next() % UInt64(outcomes.count))].command
      try simulator.goBack(to: kept.snapshot, header, performing: done)
      (judge, place) = (kept.judge, kept.place)
      perform(next, done.count, in: header, &judge, &place)
      done.append(next)
    }
    return continuation
  }

  private func step(
    _ command: Command,
    _ index: Int,
    _ root: Int,
    _ judge: inout Judge,
    _ place: inout Space.Place
  ) throws(SystemFailure) -> Step {
    var words = [command.action.word]
    perform(command, index, in: roots[root].header, &judge, &place) { event in
      words.append(event.kind.word.rawValue)
    }
    let key = simulator.isBeyondRepair ? 0 : try key(root, place, judge).equivalence
    return Step(words: words, broken: judge.broken, key: key)
  }
}

/// Outcomes of commands: one exploration records them, so that a later one skips these commands.
///
/// Only the commands with which plans reach the maximum length are recorded (``KnownMoves``).
extension Explorer {
  /// Records the outcome of a command with which a plan reaches the maximum length, if requested.
  ///
  /// `end` is the state after the command; it is `nil` if the command was skipped.
  func keep(
    _ end: (equivalence: UInt64, judge: Judge, node: Int)?,
    of command: Command,
    from open: Open
  ) {
    guard bounds.keepsMoves else { return }
    // Closing passes and reads in a state of another process are not known here.
    if let end, end.node < knownCount { return }
    let outcome = KnownMoves.Outcome(
      equivalence: end?.equivalence,
      broken: end?.judge.broken ?? 0,
      held: end?.judge.conclusion.held ?? 0,
      conclusion: end.map { conclusions[$0.node - knownCount] } ?? KnownMoves.Conclusion()
    )
    result.moves?.keep(outcome, of: command, after: tree.commands(to: open.node))
  }

  /// Adds a command's outcome from an earlier exploration, instead of running the command.
  func take(_ outcome: KnownMoves.Outcome, of command: Command, from open: Open) {
    guard let equivalence = outcome.equivalence else { return }
    let header = roots[open.root].header
    result.moveCount += 1
    result.exercised |= outcome.held
    note(outcome.broken, after: command, at: open.node, header)
    let key = StateKey(root: open.root, equivalence: equivalence)
    if let node = visited[key] { return tree.link(open.node, to: node) }
    let node = tree.add(command, after: open.node)
    visited[key] = node
    conclude(outcome.conclusion, at: node, header)
  }
}

/// The data that a power-off would leave: states are equivalent only if these data are, too.
extension Explorer {
  /// Adds to the description of the current state the data that a power-off now would leave.
  ///
  /// These data are the state of the store, and of the plan's checker (`judge`), after a power-off
  /// that loses all unsynced writes. Nothing is added if all writes are synced, if unsynced writes
  /// are not tracked, or on a real disk.
  /// `root` is the index of the plan's header in `roots`, and `judge` has observed the plan so far.
  func describeLosses(_ root: Int, _ judge: Judge) throws(SystemFailure) {
    guard let power = simulator.place.powerState, !power.isWhole else { return }
    if roots[root].survivors[power.durable] == nil {
      let survivors = try simulator.survivors(roots[root].header)
      if roots[root].survivors.count == Self.survivorsCountMax { roots[root].survivors.removeAll() }
      roots[root].survivors[power.durable] = survivors
    }
    guard let survivors = roots[root].survivors[power.durable] else { return }
    roots[root].state.add(survivors.state)
    var bereft = judge
    for event in survivors.events(down: simulator.life.alive) { bereft.observe(event) }
    bereft.describe(&roots[root].state, tick: simulator.tick)
  }

  /// The maximum number of cached ``PowerOffRemains`` for one header; each takes a few kilobytes.
  private static var survivorsCountMax: Int { 20_000 }
}
