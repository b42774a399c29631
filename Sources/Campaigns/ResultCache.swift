/// The result of a task, with a sample of the states that the task reached.
package struct MeasuredResult: Sendable {
  package let result: TaskResult
  /// The sample of the states that the task reached; `nil` if the task has not measured states.
  package var states: StateSample?

  /// Returns whether the task of `one` ended before that of `other`, by ``TaskResult/at``.
  ///
  /// Results without a time are last. Results with equal times are ordered by the tasks' names.
  static func isBefore(_ one: MeasuredResult, _ other: MeasuredResult) -> Bool {
    (one.result.at ?? .infinity, one.result.task) < (
      other.result.at ?? .infinity, other.result.task
    )
  }
}

/// The results that this process has already read.
///
/// Results never change, so each result is read only once.
///
/// A result may have a ``StateSample``: the states with the smallest digests, of those that its
/// task reached. ``CampaignGrowth`` joins these samples in the order in which the tasks ended, and
/// a join again has only the smallest digests. A state whose digest is too great for the join of
/// all earlier samples can be in no later join. The cache removes such states, which does not
/// affect ``CampaignGrowth``. Most results then have few states in the cache.
package struct ResultCache: Sendable {
  private var results: [String: MeasuredResult] = [:]

  package init() {}

  /// The results in the order in which their tasks ended, by ``TaskResult/at``.
  var inOrder: [MeasuredResult] { results.values.sorted(by: MeasuredResult.isBefore) }

  /// Returns whether the cache contains the result of a task, by the task's name.
  func contains(_ task: String) -> Bool { results[task] != nil }

  /// Adds results, and removes states that cannot affect the join of all samples.
  ///
  /// A join has only the smallest digests. A state is removed if its digest is too great for the
  /// join of the samples of earlier tasks.
  mutating func add(_ new: [MeasuredResult]) {
    guard !new.isEmpty else { return }
    for one in new { results[one.result.task] = one }
    var earlier = StateSample()
    for one in inOrder {
      guard var states = one.states else { continue }
      states.trim(for: earlier)
      earlier.add(states)
      results[one.result.task]?.states = states
    }
  }
}

extension CampaignFolder {
  /// Returns all results in the order in which their tasks ended, by ``TaskResult/at``.
  ///
  /// Results in the cache are not read again; the new ones are added to the cache.
  ///
  /// - Throws: ``CampaignError`` if a file cannot be read.
  func results(_ cache: inout ResultCache) throws(CampaignError) -> [MeasuredResult] {
    var new: [MeasuredResult] = []
    for name in try finished() where !cache.contains(name) {
      guard let result: TaskResult = try read(TaskResult.file, inResultOf: name) else { continue }
      var measured = MeasuredResult(result: result)
      if let file = result.states { measured.states = try read(file, inResultOf: name) }
      new.append(measured)
    }
    cache.add(new)
    return cache.inOrder
  }
}
