internal import Foundation
internal import HistorySystems
internal import HistoryTypes
internal import PropertyTesting
public import Systems
internal import Traces

/// Runs random plans on mutants of a design, and returns which mutants are detected.
///
/// A plan is a sequence of commands, such as saves, purges and crashes, for several members.
///
///     let score = try await mutantScore(of: [GreedyLog.self, ForgetfulLog.self], under: [.restart])
///     #expect(score.survivors.isEmpty, "\(score)")
///
/// A mutant is a variant with one deliberate bug. The mutant is detected if a plan breaks an
/// invariant. The first such plan is shrunk, and no issue is recorded. You write the mutants
/// yourself, because this library cannot edit the sources of your package.
///
/// - Parameters:
///   - variants: The types of the mutants.
///   - plans: The maximum number of plans for each mutant. The default is 200.
///   - conditions: The conditions that the plans may contain. The default is crashes, restarts and
///     late joins, as far as the mutant supports them.
///   - checkers: Custom invariants, which are checked in addition to the built-in ones.
///   - seed: The seed of the plans. The default is 1.
/// - Returns: The result for each mutant.
/// - Throws: ``HistorySettingsError`` if a mutant does not conform to a protocol that a
///   condition requires, or cannot be run; `CancellationError` if the test was cancelled.
public func mutantScore(
  of variants: [any HistoryLog.Type],
  plans: Int = 200,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64 = 1
) async throws -> MutantScore {
  func subject<Log: HistoryLog>(_ log: Log.Type) -> Subject { Subject(log: log) }
  let subjects = variants.map { subject($0) }
  return try await MutantTrial(subjects, plans, conditions, checkers, seed).score()
}

/// Runs random plans on mutants of a real system, and returns which mutants are detected.
///
///     let score = try await mutantScore(of: [
///       "forgets a cursor": { @Sendable in try await MyTracker($0, keepsCursors: false) },
///       "purges early": { @Sendable in try await MyTracker($0, purgesEarly: true) },
///     ])
///
/// In a dictionary literal, Swift 6.3 requires the explicit `@Sendable` of each closure.
///
/// For the parameters and the result, see `mutantScore` for a `HistoryLog`.
///
/// - Throws: ``HistorySettingsError`` if a mutant does not conform to a protocol that a
///   condition requires, or cannot be run; `CancellationError` if the test was cancelled.
public func mutantScore<System: HistorySystem>(
  of variants: KeyValuePairs<String, @Sendable (HistoryEnvironment) async throws -> System>,
  plans: Int = 200,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64 = 1
) async throws -> MutantScore {
  let subjects = variants.map { name, make in
    var subject = Subject(make)
    subject.name = name
    return subject
  }
  return try await MutantTrial(subjects, plans, conditions, checkers, seed).score()
}

/// The mutants of a system, each with the invariant that detected it.
public struct MutantScore: Hashable, Sendable, CustomStringConvertible {
  /// The result of one mutant.
  struct Row: Hashable, Sendable {
    let variant: String
    /// The invariant that the mutant broke; `nil` if no plan detected the mutant.
    let invariant: String?
    /// The number of commands of the shortest plan found; `nil` if no plan detected the mutant.
    let commandCount: Int?
    let planCount: Int
  }

  /// The results, in the order in which the mutants were given.
  let rows: [Row]

  /// The names of the mutants that no plan detected.
  public var survivors: [String] { rows.filter { $0.invariant == nil }.map(\.variant) }

  /// A line with the score, then a line for each mutant with the invariant that it broke.
  public var description: String {
    let lines = rows.map { row in
      guard let invariant = row.invariant else {
        return "  \(row.variant): not detected in \(row.planCount.counted("plan"))"
      }
      let length = row.commandCount.map { " in \($0.counted("command"))" } ?? ""
      return "  \(row.variant): \(invariant)\(length), plan \(row.planCount)"
    }
    let count = rows.count - survivors.count
    return
      (["\(count) of \(rows.count.counted("mutant")) \(count == 1 ? "is" : "are") detected:"]
      + lines).joined(separator: "\n")
  }
}

/// The search for plans that detect each mutant.
private struct MutantTrial: Sendable {
  private let subjects: [Subject]
  private let planCount: Int
  private let conditions: [HistoryCondition]?
  private let checkers: [any HistoryChecker.Type]
  private let seed: UInt64

  init(
    _ subjects: [Subject],
    _ planCount: Int,
    _ conditions: [HistoryCondition]?,
    _ checkers: [any HistoryChecker.Type],
    _ seed: UInt64
  ) {
    (self.subjects, self.planCount) = (subjects, max(planCount, 1))
    (self.conditions, self.checkers, self.seed) = (conditions, checkers, seed)
  }

  func score() async throws -> MutantScore {
    var rows: [MutantScore.Row] = []
    for subject in subjects { rows.append(try await row(subject)) }
    return MutantScore(rows: rows)
  }

  private func row(_ subject: Subject) async throws -> MutantScore.Row {
    let flag = CancelFlag()
    let search = PlanSearch(
      subject: subject,
      conditions: try subject.checked(conditions ?? subject.defaultConditions),
      checkers: checkers,
      seed: seed,
      plans: 1...planCount,
      budget: Budget(),
      goesOn: { _ in !flag.isSet },
      stopsAtFirst: true
    )
    let result = await withTaskCancellationHandler {
      await OwnThread.run { Result { () throws(SystemFailure) in try search.run() } }
    } onCancel: {
      flag.set()
    }
    try Task.checkCancellation()
    switch result {
    case .success(let outcome):
      return MutantScore.Row(
        variant: subject.name,
        invariant: outcome.found?.checker ?? outcome.tally.runFailure.map { _ in "run failure" },
        commandCount: outcome.found?.counterexample?.trace.header.plan.commands.count,
        planCount: outcome.tally.planCount
      )
    case .failure(let failure):
      throw HistorySettingsError("\(subject.name) could not be run: \(failure.message)")
    }
  }
}
