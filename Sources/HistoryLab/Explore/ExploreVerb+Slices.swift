import Basics
import Campaigns
import Commands
import HistoryTypes
import Reporting
import Simulation
import Workloads

/// The options with which several processes share the work of one exploration.
///
/// The work on plans of each length is divided into slices. A process explores one slice, or joins
/// the results of all slices.
struct DivisionOptions: VerbOptions {
  @Option(
    "length",
    .integer("K", 0...12),
    shown: "all",
    "Explores only plans of K commands; reads the slices of shorter plans in --slices."
  )
  var length: Int?
  @Option(
    "slice",
    .slice,
    shown: "1/1",
    "Continues the Ith of N parts of the states of length K - 1, and writes a file for --slices."
  )
  var slice: Shard?
  @Option(
    "slices",
    .path("DIR"),
    shown: "none",
    "The folder with the files of all slices; without --length, joins them to one result."
  )
  var folder: String?

  /// The slice (a part of the work on plans of one length) to explore; `nil` without `--length`.
  var place: SlicePlace? {
    length.map { SlicePlace(length: $0, index: slice?.index ?? 1, count: slice?.count ?? 1) }
  }

  /// - Throws: A usage error if options that belong together are missing, or no plan has the length.
  func check(depth: Int) throws(LabError) {
    if slice != nil, length == nil {
      throw .usage("--slice has no effect without --length: pass the length of the plans too.")
    }
    guard let length else { return }
    if folder == nil {
      throw .usage("--length needs --slices: pass the folder with the files of shorter plans.")
    }
    guard length <= depth else {
      throw .usage("--length \(length) is greater than the depth, \(depth). Use a greater --depth.")
    }
  }
}

extension ValueReader where Value == Shard {
  /// Parses values of `--slice`, such as `2/4` for the second of four parts.
  static let slice = ValueReader(
    placeholder: "I/N",
    expectation: "a part and the number of parts, such as 2/4"
  ) { Shard($0) }
}

extension ExploreVerb {
  /// Returns the tasks of an exploration, each with the slice to explore, or all slices to join.
  ///
  /// A slice is a part of the work on plans of one length. The slices of shorter plans, or all slices
  /// to join, are read from the folder of `--slices`. Without this option, the tasks are returned
  /// unchanged.
  ///
  /// - Throws: A usage error if a file is missing or does not belong to this exploration.
  func divided(_ tasks: [ExploreTask]) throws(LabError) -> [ExploreTask] {
    guard let path = options.division.folder else { return tasks }
    let place = options.division.place
    let folder = try SliceFolder(
      path,
      before: place?.length ?? options.depthMax + 1,
      of: ExplorationIdentity(tasks),
      by: .current(composition)
    )
    guard folder.lengthCount == place?.length ?? folder.lengthCount else {
      throw .usage(
        "--slices: slices of length \(folder.lengthCount) are missing in \(path.quoted). "
          + "Explore these parts first, with --length \(folder.lengthCount) and an --output in "
          + "that folder."
      )
    }
    return tasks.enumerated().map { piece, task in
      var task = task
      task.division = ExploreTask.Division(folder: folder, piece: piece, place: place)
      return task
    }
  }

  /// Writes a slice's file, which contains the results of all tasks, and prints a summary.
  ///
  /// A slice is a part of the work on plans of one length.
  ///
  /// - Returns: `good` if each task was explored within the limit of states; otherwise `undecided`.
  /// - Throws: a lab error if an interruption stopped the exploration before the end of the slice,
  ///   because only whole slices can be continued.
  func finish(
    _ place: SlicePlace,
    _ tasks: [ExploreTask],
    _ done: [(task: ExploreTask, outcome: ExploreTask.Outcome)],
    _ folder: RunOutput
  ) throws(LabError) -> ExitCode {
    let outcomes = done.map(\.outcome)
    guard done.count == tasks.count, outcomes.allSatisfy({ $0.exploration.ending != .stopped })
    else { throw .lab("\(place.sentence) was interrupted, so it has no file. Run explore again.") }
    try SliceFile.write(
      place,
      to: folder.path,
      of: ExplorationIdentity(tasks),
      by: .current(composition),
      after: tasks.first?.division?.folder.hashes ?? [],
      done.map { ($0.outcome.slice, $0.task.headers, $0.outcome.seconds) }
    )
    try folder.write(outcomes.compactMap(\.states))
    let slices = outcomes.compactMap(\.slice)
    let states = slices.map(\.states.count).reduce(0, +)
    let moves = slices.map(\.exploration.moveCount).reduce(0, +)
    let ended = outcomes.filter { $0.exploration.ending == .outOfStates }
      .map { "\($0.condition.rawValue) with \($0.scope.actors.counted("actor"))" }
    let sentence =
      "\(place.sentence): \(states.counted("new state")), \(moves.counted("command"))"
      + (ended.isEmpty
        ? "." : "; stopped at the limit of states under \(ended.uniqued.joinedWithAnd).")
    terminal.print(sentence.capitalised)
    try folder.finish(verdict: "unknown", because: sentence)
    return ended.isEmpty ? .good : .undecided
  }
}
