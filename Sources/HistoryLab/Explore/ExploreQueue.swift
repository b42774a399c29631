import Simulation
import Synchronization

/// Hands out the pieces of an exploration, each once, and counts the states of all of them.
///
/// Of related pieces, the fastest goes first, and pieces that start later reuse its known moves.
/// The other pieces follow, the longest first. The order and the reuse only save time; they do not
/// change the results.
final class ExploreQueue: Sendable {
  private let taken = Atomic<Int>(0)
  private let states = Atomic<Int>(0)
  let tasks: [ExploreTask]
  private let kin: [ExploreTask.Kin?]
  /// The numbers of the pieces that go first, one for each group of related pieces.
  private let first: Set<Int>
  private let known = Mutex<[ExploreTask.Kin: KnownMoves]>([:])
  /// The numbers of the pieces in the order in which they are handed out.
  private let order: [Int]

  init(_ tasks: [ExploreTask]) {
    self.tasks = tasks
    let (weights, kin) = (tasks.map(\.weight), tasks.map(\.kin))
    let families = Dictionary(grouping: tasks.indices.filter { kin[$0] != nil }) { kin[$0] }.values
    let first = Set(
      families.filter { $0.count > 1 }.compactMap { family in
        family.min { (weights[$0], $0) < (weights[$1], $1) }
      }
    )
    order = tasks.indices.sorted {
      let (isFirst, isOtherFirst) = (first.contains($0), first.contains($1))
      return isFirst == isOtherFirst ? (weights[$1], $0) < (weights[$0], $1) : isFirst
    }
    (self.kin, self.first) = (kin, first)
  }

  /// Returns the number of the next piece, or `nil` when all were handed out.
  func take() -> Int? {
    let next = taken.add(1, ordering: .relaxed).oldValue
    return next < order.count ? order[next] : nil
  }

  /// Adds a number of states, and returns the new total.
  func count(_ more: Int) -> Int { states.add(more, ordering: .relaxed).newValue }

  /// Runs all pieces on several workers, and returns their results in the order of the pieces.
  ///
  /// The results do not depend on the number of workers. Pieces that had not started when the run
  /// was stopped are missing.
  ///
  /// - Throws: a lab error when a piece cannot be run.
  func run(
    jobs: Int,
    finished: @escaping @Sendable (ExploreTask.Outcome) -> Void,
    progress: @escaping @Sendable (_ states: Int) -> Bool
  ) async throws(LabError) -> [(task: ExploreTask, outcome: ExploreTask.Outcome)] {
    typealias Done = (number: Int, outcome: ExploreTask.Outcome)
    let lanes = await withTaskGroup(of: Result<[Done], LabError>.self) { group in
      for _ in 0..<max(1, min(jobs, tasks.count)) {
        group.addTask {
          Result { () throws(LabError) in try self.lane(finished, progress) }
        }
      }
      var lanes: [Result<[Done], LabError>] = []
      for await lane in group { lanes.append(lane) }
      return lanes
    }
    var done: [Done] = []
    for lane in lanes { done += try lane.get() }
    return done.sorted { $0.number < $1.number }.map { (tasks[$0.number], $0.outcome) }
  }

  private func lane(
    _ finished: (ExploreTask.Outcome) -> Void,
    _ progress: (Int) -> Bool
  ) throws(LabError) -> [(number: Int, outcome: ExploreTask.Outcome)] {
    var done: [(number: Int, outcome: ExploreTask.Outcome)] = []
    while progress(count(0)), let number = take() {
      var last = 0
      let outcome = try withoutActuallyEscaping(progress) { progress throws(LabError) in
        try run(number) { states in
          defer { last = states }
          return progress(self.count(states - last))
        }
      }
      finished(outcome)
      done.append((number, outcome))
    }
    return done
  }

  private func run(
    _ number: Int,
    _ progress: @escaping (Int) -> Bool
  ) throws(LabError) -> ExploreTask.Outcome {
    let outcome = try tasks[number].run(
      keepingMoves: first.contains(number),
      knowing: kin[number].flatMap { kin in known.withLock { $0[kin] } },
      progress: progress
    )
    if let kin = kin[number], let moves = outcome.exploration.moves {
      known.withLock { $0[kin] = moves }
    }
    return outcome
  }
}
