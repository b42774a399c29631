/// One part of a run that is split over several machines.
///
/// Written as `2/4`: the second of four.
package struct Shard: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Which part it is, from 1.
  package var index: Int
  /// How many parts there are.
  package var count: Int

  /// Makes a part; nil when there is no such one.
  package init?(_ index: Int, of count: Int) {
    guard count > 0, (1...count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Reads `2/4`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 2, numbers.count == 2 else { return nil }
    self.init(numbers[0], of: numbers[1])
  }

  /// The written form.
  package var description: String { "\(index)/\(count)" }

  /// Whether what stands at a place of a list, from 0, belongs to this part.
  package func holds(_ place: Int) -> Bool { place % count == index - 1 }

  /// The part that the machine's scheduler has given to this process; nil when none has.
  ///
  /// Slurm arrays, Kubernetes indexed jobs and GitHub's matrix strategies (whose `strategy.job-index`
  /// and `strategy.job-total` a workflow hands on) count from different numbers.
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
