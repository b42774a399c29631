extension StressResult {
  /// Joins the results of the parts of one run, each with a store of its own.
  ///
  /// Counts of events are added. For lengths of history, lags and delays, the result has the greatest
  /// value of any part, because every part has a history of its own.
  package init(joining parts: [StressResult], seed: UInt64) {
    var settings = StressSettings()
    settings.seed = seed
    settings.mutant = parts.first?.mutant
    settings.disk = parts.first?.disk
    settings.processes = parts.first?.processes ?? 0
    self.init(settings)
    for part in parts {
      seconds += part.seconds
      committed += part.committed
      objectCount += part.objectCount
      sampleCount += part.sampleCount
      eventCount += part.eventCount
      reconciledCount += part.reconciledCount
      openCount += part.openCount
      unreportedCount += part.unreportedCount
      ambiguousCount += part.ambiguousCount
      heldMax = max(heldMax, part.heldMax)
      lagMax = max(lagMax, part.lagMax)
      heldAtEnd = max(heldAtEnd, part.heldAtEnd)
      sleepers += part.sleepers
      locksWhileSuspended += part.locksWhileSuspended
      failures += part.failures
      integrityProblem = integrityProblem ?? part.integrityProblem
      isInterrupted = isInterrupted || part.isInterrupted
      if let count = part.filledCount { filledCount = (filledCount ?? 0) + count }
      counts.add(part.counts)
      if let counts = part.plainSQL {
        var sum = plainSQL ?? PlainSQLWriter.Counts()
        sum.add(counts)
        plainSQL = sum
      }
      for participant in part.participants { add(participant) }
    }
    checkers = Self.joined(parts.map(\.checkers))
  }

  private mutating func add(_ participant: Participant) {
    guard let place = participants.firstIndex(where: { $0.name == participant.name }) else {
      participants.append(participant)
      return
    }
    participants[place].add(participant)
  }

  /// Returns one verdict for each checker, joined from the parts.
  ///
  /// The verdict is the first `invalid` one of a part, otherwise the first `valid` one: a single part
  /// that exercised the invariant suffices for `valid`.
  private static func joined(_ parts: [[StressChecks.Answer]]) -> [StressChecks.Answer] {
    let all = parts.flatMap(\.self)
    var names: [String] = []
    for answer in all where !names.contains(answer.checker) { names.append(answer.checker) }
    return names.compactMap { name in
      let answers = all.filter { $0.checker == name }
      return ["invalid", "valid"].lazy
        .compactMap { verdict in answers.first { $0.verdict == verdict } }.first ?? answers.first
    }
  }
}

extension StressResult.Participant {
  fileprivate mutating func add(_ other: StressResult.Participant) {
    lives += other.lives
    written += other.written
    merges += other.merges
    merged += other.merged
    records += other.records
    purged += other.purged
    errors.merge(other.errors, uniquingKeysWith: +)
    firstError = firstError ?? other.firstError
  }
}

extension StressCounts {
  fileprivate mutating func add(_ other: StressCounts) {
    killedAnywhere += other.killedAnywhere
    killedAt.merge(other.killedAt, uniquingKeysWith: +)
    stops += other.stops
    suspensionRequests += other.suspensionRequests
    suspensions += other.suspensions
    lockReadings += other.lockReadings
    restarts += other.restarts
    joins += other.joins
    retires += other.retires
    wakeUps += other.wakeUps
    wakeUpMsMax = max(wakeUpMsMax, other.wakeUpMsMax)
  }
}

extension PlainSQLWriter.Counts {
  fileprivate mutating func add(_ other: PlainSQLWriter.Counts) {
    lives += other.lives
    kills += other.kills
    stops += other.stops
    written += other.written
  }
}
