public import Systems
public import Testing

/// Checks with random plans that no member of a tracking design loses transactions.
///
///     @Test func `My log loses nothing`() async throws {
///       try await checkHistory(of: MyLog.self, plans: 500, under: [.restart, .crash])
///     }
///
/// Each plan has several members that save, pass, purge, stop and crash in a random order. If plans
/// break invariants, one issue is recorded at the call. It shows the shortest plan found for the most
/// harmful broken invariant, the command that repeats this plan, and the names of all other broken
/// invariants. The issue has two attachments: the plan as JSON lines, and a page with a picture.
///
/// - Parameters:
///   - log: The type of the design.
///   - plans: The number of plans. The default is 200.
///   - conditions: The conditions that the plans may contain. The default is crashes, restarts and
///     late joins.
///   - checkers: Custom invariants, which are checked in addition to the built-in ones.
///   - seed: The seed of the plans. The default is 1, so that every run has the same plans.
///   - time: The time limit, which includes shrinking. The default is no limit.
///   - corpus: The folder of counterexamples, relative to the folder of the test's file; see the
///     trait `.history`.
///   - file: The path of the test's source file.
///   - sourceLocation: The location at which issues are recorded.
/// - Returns: The verdicts, and the failure if an invariant broke.
/// - Throws: ``HistorySettingsError`` if a setting is invalid, `CancellationError` if the test was
///   cancelled. A broken invariant does not throw.
@discardableResult
public func checkHistory<Log: HistoryLog>(
  of log: Log.Type,
  plans: Int? = nil,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64? = nil,
  time: Duration? = nil,
  corpus: String? = nil,
  file: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HistoryReport {
  let settings = HistorySettings(plans: plans, seed: seed, time: time, corpus: corpus)
  let check = try HistoryCheck(Subject(log: log), conditions, checkers, settings, file)
  return try await check.run(sourceLocation)
}

/// Checks with random plans that no member of a real system loses transactions.
///
///     @Test func `Our tracker loses nothing`() async throws {
///       try await checkHistory(of: MyTracker.self, plans: 500, under: [.ties, .crash, .pause])
///     }
///
/// The parameters have the same meanings as those of `checkHistory` for designs.
@discardableResult
public func checkHistory<System: HistorySystem>(
  of system: System.Type,
  plans: Int? = nil,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64? = nil,
  time: Duration? = nil,
  corpus: String? = nil,
  file: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HistoryReport {
  let settings = HistorySettings(plans: plans, seed: seed, time: time, corpus: corpus)
  let subject = Subject { try await System($0) }
  let check = try HistoryCheck(subject, conditions, checkers, settings, file)
  return try await check.run(sourceLocation)
}

/// Checks with random plans that no member of the systems from a factory loses transactions.
///
///     try await checkHistory(of: { try await MyTracker($0, batchSize: 2) }, under: [.restart])
///
/// The parameters have the same meanings as those of `checkHistory` for designs.
@discardableResult
public func checkHistory<System: HistorySystem>(
  of make: @escaping @Sendable (HistoryEnvironment) async throws -> System,
  plans: Int? = nil,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64? = nil,
  time: Duration? = nil,
  corpus: String? = nil,
  file: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HistoryReport {
  let settings = HistorySettings(plans: plans, seed: seed, time: time, corpus: corpus)
  let check = try HistoryCheck(Subject(make), conditions, checkers, settings, file)
  return try await check.run(sourceLocation)
}
