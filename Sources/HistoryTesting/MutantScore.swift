internal import Foundation
internal import PropertyTesting
public import Systems
internal import Traces

/// A variant of a system with one deliberate bug.
///
///     let mutants = [
///       HistoryMutant("purges what the fastest has read", GreedyLog.self),
///       HistoryMutant("forgets a cursor") { try await MyTracker($0, keepsCursors: false) },
///     ]
public struct HistoryMutant: Sendable {
  /// The name, as scores print it.
  public let name: String
  let subject: Subject

  /// Describes a variant of a design.
  public init<Log: HistoryLog>(_ name: String, _ log: Log.Type) {
    self.name = name
    subject = Subject(log: log)
  }

  /// Describes a variant of a real system.
  public init<System: HistorySystem>(
    _ name: String,
    _ make: @escaping @Sendable (HistoryEnvironment) async throws -> System
  ) {
    self.name = name
    subject = Subject(make)
  }
}

/// Runs random plans on broken variants of a system, and returns which of them are noticed.
///
///     let score = try await mutantScore(of: mutants, under: [.restart, .crash])
///     #expect(score.survivors.isEmpty, "\(score)")
///
/// A variant is noticed by the first plan that breaks an invariant, which is shrunk; no issues are
/// recorded. The variants are yours: nothing outside of a package can edit its sources, as
/// this project's `scripts/mutants` does with its own.
///
/// - Parameters:
///   - mutants: The variants.
///   - plans: The greatest number of plans for each variant. The default is 200.
///   - conditions: The conditions that the plans may contain. The default is crashes, restarts and
///     late joins, as far as a variant supports them.
///   - checkers: Invariants of one's own, checked next to the built-in ones.
///   - seed: The seed of the plans. The default is 1.
/// - Returns: The score.
/// - Throws: ``HistorySettingsError`` if a variant lacks a protocol for a condition or cannot be run,
///   `CancellationError` if the test was cancelled.
public func mutantScore(
  of mutants: [HistoryMutant],
  plans: Int = 200,
  under conditions: [HistoryCondition]? = nil,
  checking checkers: [any HistoryChecker.Type] = [],
  seed: UInt64 = 1
) async throws -> MutantScore {
  var rows: [MutantScore.Row] = []
  let flag = CancelFlag()
  for mutant in mutants {
    let subject = mutant.subject
    let conditions = try subject.checked(conditions ?? subject.defaultConditions)
    let search = PlanSearch(
      subject: subject,
      conditions: conditions,
      checkers: checkers,
      seed: seed,
      plans: 1...max(plans, 1),
      budget: Budget(),
      goesOn: { _ in !flag.isSet },
      stopsAtFirst: true
    )
    let outcome = await withTaskCancellationHandler {
      await OwnThread.run { Result { try search.run() } }
    } onCancel: {
      flag.set()
    }
    try Task.checkCancellation()
    do { rows.append(MutantScore.Row(mutant.name, try outcome.get())) } catch let failure
      as SystemFailure
    {
      throw HistorySettingsError("\(mutant.name) could not be run: \(failure.message)")
    }
  }
  return MutantScore(rows: rows)
}

/// The broken variants of a system, and what noticed each of them.
public struct MutantScore: Codable, Hashable, Sendable, CustomStringConvertible {
  /// One variant.
  public struct Row: Codable, Hashable, Sendable {
    /// The name of the variant.
    public let mutant: String
    /// The invariant that it broke, or `nil` if no plan noticed it.
    public let invariant: String?
    /// The number of commands of the shortest plan that was found, or `nil`.
    public let commandCount: Int?
    /// The number of plans that ran.
    public let planCount: Int

    init(_ mutant: String, _ outcome: PlanSearch.Outcome) {
      self.mutant = mutant
      invariant = outcome.found?.checker ?? outcome.tally.trouble.map { _ in "Trouble" }
      commandCount = outcome.found?.counterexample?.trace.header.plan.commands.count
      planCount = outcome.tally.planCount
    }
  }

  /// The variants, in the order in which they were given.
  public let rows: [Row]

  /// The names of the variants that no plan noticed.
  public var survivors: [String] { rows.filter { $0.invariant == nil }.map(\.mutant) }

  /// A line with the score, and one for each variant.
  public var description: String {
    let lines = rows.map { row in
      guard let invariant = row.invariant else {
        return "  \(row.mutant): not noticed in \(row.planCount) plans"
      }
      let length = row.commandCount.map { " in \($0) commands" } ?? ""
      return "  \(row.mutant): \(invariant)\(length), plan \(row.planCount)"
    }
    let count = rows.count - survivors.count
    return (["\(count) of \(rows.count) mutants are noticed:"] + lines).joined(separator: "\n")
  }
}
