/// One part of a run that is split over several machines.
///
/// It is written as `2/4`: the second of four parts.
package struct Shard: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The number of the part, from 1.
  package var index: Int
  /// The number of parts.
  package var count: Int

  /// Creates a part, or returns `nil` if the index is not between 1 and the count.
  package init?(_ index: Int, of count: Int) {
    guard count > 0, (1...count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Parses `2/4`, or returns `nil`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 2, numbers.count == 2 else { return nil }
    self.init(numbers[0], of: numbers[1])
  }

  /// The part as text, such as `2/4`.
  package var description: String { "\(index)/\(count)" }

  /// Returns whether the list element at a position, counted from 0, belongs to this part.
  package func holds(_ place: Int) -> Bool { place % count == index - 1 }

  /// Returns the part that a job scheduler assigned to this process, or `nil` for none.
  ///
  /// The schedulers are Slurm arrays, Kubernetes indexed jobs, and GitHub's matrix strategies,
  /// whose `strategy.job-index` and `strategy.job-total` a workflow must export; they start
  /// counting at different numbers.
  package static func scheduled(in environment: [String: String]) -> Shard? {
    func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
    if let id = number("SLURM_ARRAY_TASK_ID"), let count = number("SLURM_ARRAY_TASK_COUNT") {
      return Shard(id - (number("SLURM_ARRAY_TASK_MIN") ?? 0) + 1, of: count)
    }
    if let index = number("JOB_COMPLETION_INDEX"), let count = number("JOB_COMPLETIONS") {
      return Shard(index + 1, of: count)
    }
    if let index = number("STRATEGY_JOB_INDEX"), let count = number("STRATEGY_JOB_TOTAL") {
      return Shard(index + 1, of: count)
    }
    return nil
  }
}
