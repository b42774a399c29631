/// The growth of a campaign's counts of plans, states and failures, and the rates of its workers.
package struct CampaignGrowth: Codable, Hashable, Sendable {
  /// The numbers of plans, states and failures at one moment of a campaign.
  package struct Point: Codable, Hashable, Sendable {
    /// The campaign's time: the number of seconds during which it had a worker.
    package let seconds: Double
    /// The number of plans that checks have run.
    package let plans: Int
    /// The number of different states; `nil` as long as no command has measured states.
    package let states: Double?
    /// The error of `states`, as defined by ``StateEstimate/distinctError``.
    package let statesError: Double?
    /// The number of different failures.
    package let failures: Int
  }

  /// The counts of results, plans and states of one worker process, and the run times of its tasks.
  package struct Worker: Codable, Hashable, Sendable {
    package let name: String
    package var results = 0
    package var plans = 0
    /// The total run time of the tasks that ran plans in checks, in seconds.
    package var planSeconds = 0.0
    /// The number of states that plans and explorations reached.
    ///
    /// A state counts once for each plan and once for each exploration that reached it.
    package var states = 0
    /// The total run time of the tasks that measured states, in seconds.
    package var stateSeconds = 0.0

    /// The number of plans a second; `nil` if no task ran plans in checks.
    package var planRate: Double? { planSeconds > 0 ? Double(plans) / planSeconds : nil }
    /// The number of states a second; `nil` if no task measured states.
    package var stateRate: Double? { stateSeconds > 0 ? Double(states) / stateSeconds : nil }
  }

  /// The maximum number of elements of ``points``.
  ///
  /// If more tasks have results, only every n-th result and the last one have points.
  static let pointCountMax = 100

  /// The counts of plans, states and failures at the times when tasks ended, sorted by time.
  ///
  /// The array has at most ``pointCountMax`` points. It is empty if no result has a time.
  package let points: [Point]
  /// The workers with results, by name.
  package let workers: [Worker]
  /// The estimates of reached and unreached states; `nil` if no command has measured states.
  package let states: StateEstimate?
  /// The number of results without a time, which older versions have written.
  package let untimedCount: Int

  init(_ results: [MeasuredResult], _ failures: [KnownFailure]) {
    var workers: [String: Worker] = [:]
    var sample: StateSample?
    for one in results {
      workers[one.result.worker, default: Worker(name: one.result.worker)].add(one)
      sample = Self.joined(sample, one.states)
    }
    self.workers = workers.values.sorted { $0.name < $1.name }
    states = sample.map(StateEstimate.init)
    let timed = results.sorted(by: MeasuredResult.isBefore)
      .compactMap { one in one.result.at.map { (seconds: $0, one: one) } }
    untimedCount = results.count - timed.count
    points = Self.points(timed, failures)
  }

  private static func joined(_ sample: StateSample?, _ other: StateSample?) -> StateSample? {
    guard var joined = sample, let other else { return sample ?? other }
    joined.add(other)
    return joined
  }

  private static func points(
    _ results: [(seconds: Double, one: MeasuredResult)],
    _ failures: [KnownFailure]
  ) -> [Point] {
    let times = Dictionary(results.map { ($0.one.result.task, $0.seconds) }) { first, _ in first }
    let found = failures.compactMap { $0.tasks.compactMap { times[$0] }.min() }
    let step = (results.count + pointCountMax - 1) / pointCountMax
    var (points, plans, sample): ([Point], Int, StateSample?) = ([], 0, nil)
    for (place, result) in results.enumerated() {
      plans += result.one.result.plans
      sample = joined(sample, result.one.states)
      guard (place + 1).isMultiple(of: step) || place + 1 == results.count else { continue }
      let states = sample.map(StateEstimate.init)
      points.append(
        Point(
          seconds: result.seconds,
          plans: plans,
          states: states?.distinct,
          statesError: states?.distinctError,
          failures: found.count { $0 <= result.seconds }
        )
      )
    }
    return points
  }
}

extension CampaignGrowth.Worker {
  fileprivate mutating func add(_ one: MeasuredResult) {
    results += 1
    if one.result.plans > 0 {
      plans += one.result.plans
      planSeconds += one.result.seconds
    }
    if let sample = one.states {
      states += sample.reachedCount
      stateSeconds += one.result.seconds
    }
  }
}
