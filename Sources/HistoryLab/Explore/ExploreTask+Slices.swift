import Commands
import Measuring
import Simulation
import Systems
import Traces
import Workloads

extension ExploreTask {
  /// The part of a divided exploration to run for this task, and the folder with all slice files.
  ///
  /// A slice is a part of the work on plans of one length (``SlicePlace``).
  struct Division: Sendable {
    let folder: SliceFolder
    /// The index of the task in the exploration.
    let piece: Int
    /// The slice to explore; `nil` joins the results of all slices in ``folder`` instead.
    let place: SlicePlace?
  }

  /// Explores one slice for this task, or joins this task's results of all slices.
  ///
  /// A slice is a part of the work on plans of one length (``SlicePlace``).
  ///
  /// - Throws: a usage error if a file cannot be read, and the errors of exploring a whole task.
  func run(
    _ division: Division,
    keepingMoves: Bool,
    knowing earlier: KnownMoves?,
    progress: (Int) -> Bool
  ) throws(LabError) -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    let rounds = try division.folder.rounds(
      ofPiece: division.piece,
      headers: headers,
      hasMoves: division.place == nil
    )
    guard let place = division.place else { return try join(rounds, division) }
    var outcome = Outcome(
      condition: condition,
      scope: scope,
      exploration: Exploration(),
      stateCountMax: stateCountMax,
      broken: [:],
      seconds: 0
    )
    // The task ended before this plan length.
    guard rounds.isOpen, place.length <= scope.depth else { return outcome }
    let explorer = explorer(keepingMoves: keepingMoves, knowing: earlier)
    do throws(SystemFailure) {
      let slice = try explorer.explore(
        slice: place.index,
        of: place.count,
        after: rounds,
        progress: progress
      )
      (outcome.exploration, outcome.slice) = (slice.exploration, slice)
    } catch { throw failure(error) }
    outcome.seconds = (clock.now - start) / .seconds(1)
    if samplesStates { outcome.states = sample(explorer) }
    return outcome
  }

  private func join(
    _ rounds: ExplorationRounds,
    _ division: Division
  ) throws(LabError) -> Outcome {
    let exploration = rounds.exploration(to: scope.depth)
    do throws(SystemFailure) {
      return Outcome(
        condition: condition,
        scope: scope,
        exploration: exploration,
        stateCountMax: stateCountMax,
        broken: try counterexamples(exploration),
        seconds: division.folder.seconds(ofPiece: division.piece)
      )
    } catch { throw failure(error) }
  }

  /// The data that determines the task's plans within its scope, as text.
  ///
  /// The text contains the system's design (tracking protocol) if it has one, the plan headers
  /// (with model and actors), the possible first commands, and the windows (runs of consecutive
  /// transactions) of a real history that the plans' writes repeat.
  var alphabetText: String {
    let alphabet = alphabet
    let starts = alphabet.headers.map { header in
      Plan(header: header, commands: alphabet.moves(from: alphabet.start(header)))
    }
    let design = system.design.map(DesignCodec.encode) ?? ""
    return ([design] + (starts + alphabet.windowPlans).map(PlanCodec.encode))
      .joined(separator: "\n")
  }
}
