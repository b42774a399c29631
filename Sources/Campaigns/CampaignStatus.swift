/// The progress, the failures and the verdict of a campaign.
package struct CampaignStatus: Codable, Hashable, Sendable {
  /// The newest claim on a task: the worker and the claim's number.
  package struct Claimed: Codable, Hashable, Sendable {
    package let task: String
    package let worker: String
    /// The number of the claim on this task, from 1.
    ///
    /// The task is claimed again if the worker is lost, its command fails, or the worker is
    /// interrupted.
    package let claim: Int
    /// The reason why the worker gave the task up; `nil` if the worker still works, or is lost.
    package let failure: String?
  }

  /// The program that created the campaign; only results of this program are counted.
  package let program: CampaignProgram
  package let tasks: Int
  package let done: Int
  /// The tasks that were given up, which count as done.
  package let givenUp: [TaskResult]
  /// The results whose exit code is 1: the task found a violation or a regression.
  package let found: [TaskResult]
  /// The results whose exit code is 2: the task could not decide.
  package let undecided: [TaskResult]
  /// The newest claim on each task without a result; released claims are left out.
  package let claimed: [Claimed]
  package let plans: Int
  package let steps: Int
  /// The total run time of all tasks with a result, in seconds; a task that was given up adds 0.
  package let seconds: Double
  /// The number of results of each worker.
  package let resultsByWorker: [String: Int]
  package let failures: [KnownFailure]
  package let isDrained: Bool
  /// The growth of the counts of plans, states and failures, and the rates of the workers.
  package let growth: CampaignGrowth
  /// The progress of each group of tasks that explores plans in rounds: one round per plan length.
  package let rounds: [RoundProgress]

  /// The number of tasks without a result.
  package var left: Int { tasks - done }

  /// Reads the status of a campaign.
  ///
  /// - Throws: ``CampaignError`` if a file cannot be read.
  package init(_ folder: CampaignFolder) throws(CampaignError) {
    var cache = ResultCache()
    try self.init(folder, &cache)
  }

  /// Reads the status of a campaign, with the results in the cache.
  ///
  /// Only the results that are not in the cache are read, and then added to the cache.
  ///
  /// - Throws: ``CampaignError`` if a file cannot be read.
  /// - Complexity: O(tasks), one file each, and two files for each new result.
  package init(_ folder: CampaignFolder, _ cache: inout ResultCache) throws(CampaignError) {
    let tasks = try folder.tasks()
    let measured = try folder.results(&cache)
    let results = measured.map(\.result).sorted { $0.task < $1.task }
    let done = Set(results.map(\.task))
    let newest = try TaskClaim.newest(in: folder)
    program = folder.program
    self.tasks = tasks.count
    self.done = done.count
    givenUp = results.filter { $0.code == nil }
    found = results.filter { $0.code == 1 }
    undecided = results.filter { $0.code == 2 }
    let open = newest.filter { !done.contains($0.key) && !$0.value.isReleased }
    claimed = open.sorted { $0.key < $1.key }.map {
      Claimed(
        task: $0.key,
        worker: $0.value.content.worker,
        claim: $0.value.number,
        failure: $0.value.content.failure
      )
    }
    plans = results.map(\.plans).reduce(0, +)
    steps = results.map(\.steps).reduce(0, +)
    seconds = results.map(\.seconds).reduce(0, +)
    resultsByWorker = Dictionary(results.map { ($0.worker, 1) }, uniquingKeysWith: +)
    failures = try folder.failures()
    isDrained = folder.isDrained
    growth = CampaignGrowth(measured, failures)
    let byTask = Dictionary(results.map { ($0.task, $0) }) { first, _ in first }
    rounds = Dictionary(grouping: tasks, by: \.group).sorted { $0.key < $1.key }.compactMap {
      RoundProgress(group: $0.key, $0.value, byTask)
    }
  }

  /// The results with exit code 1 for which ``failures`` has no counterexample.
  package var foundWithoutPlan: [TaskResult] {
    let explained = Set(failures.flatMap(\.tasks))
    return found.filter { !explained.contains($0.task) }
  }

  /// The verdict: `invalid` if the campaign has a failure, or if a task ended with exit code 1.
  ///
  /// Otherwise the verdict is `unknown` if there are no tasks, or if a task has no result, was
  /// given up or ended with exit code 2. In all other cases it is `valid`.
  package var verdict: String {
    if !failures.isEmpty || !found.isEmpty { return "invalid" }
    return left == 0 && givenUp.isEmpty && undecided.isEmpty && tasks > 0 ? "valid" : "unknown"
  }
}
