public import Testing

/// The settings of a check; `nil` values are taken from an outer scope.
///
/// The environment has the highest precedence, then the arguments of the call, the trait of the
/// test, and the traits of enclosing suites from the inside out.
struct HistorySettings: Sendable {
  /// The number of plans.
  var plans: Int?
  var seed: UInt64?
  /// The number of the only plan to run.
  var plan: Int?
  /// The time limit of a check, including shrinking.
  var time: Duration?
  /// The folder of the counterexamples that earlier runs found.
  var corpus: String?

  /// The settings of the traits that apply to the current task.
  @TaskLocal static var current = HistorySettings()

  /// Returns these settings, with missing values taken from others.
  func or(_ others: HistorySettings) -> HistorySettings {
    HistorySettings(
      plans: plans ?? others.plans,
      seed: seed ?? others.seed,
      plan: plan ?? others.plan,
      time: time ?? others.time,
      corpus: corpus ?? others.corpus
    )
  }
}

extension HistorySettings {
  /// Reads the settings from environment variables.
  ///
  /// The variables are `HISTORY_PLANS`, `HISTORY_SEED` (a number or `random`), `HISTORY_PLAN`,
  /// `HISTORY_TIME` (seconds) and `HISTORY_CORPUS`.
  init(environment: [String: String]) throws(HistorySettingsError) {
    func value<Value>(
      _ name: String,
      _ meaning: String,
      _ read: (String) -> Value?
    ) throws(HistorySettingsError) -> Value? {
      guard let text = environment[name], !text.isEmpty else { return nil }
      guard let value = read(text) else {
        throw HistorySettingsError("\(name) is \"\(text)\"; give \(meaning).")
      }
      return value
    }
    func positive(_ text: String) -> Int? { Int(text).flatMap { $0 > 0 ? $0 : nil } }
    plans = try value("HISTORY_PLANS", "a number of plans, 1 or more", positive)
    plan = try value("HISTORY_PLAN", "the number of a plan, 1 or more", positive)
    seed = try value("HISTORY_SEED", "a whole number of up to 64 bits, or random") { text in
      text == "random" ? UInt64.random(in: 1...UInt64(UInt32.max)) : UInt64(text)
    }
    time = try value("HISTORY_TIME", "a number of seconds above 0") { text in
      Double(text).flatMap { $0 > 0 && $0 < 1e9 ? .seconds($0) : nil }
    }
    corpus = environment["HISTORY_CORPUS"].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// An invalid setting of a check: an argument, an environment variable, a folder or a file.
public struct HistorySettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence that says what is wrong, and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Settings for the checks of a test, or of all tests of a suite.
///
///     @Test(.history(plans: 10_000, corpus: "Counterexamples"))
///     func `Our tracker loses nothing`() async throws {
///       try await checkHistory(of: MyTracker.self)
///     }
///
/// Settings that a trait omits are taken from outer traits. The environment overrides all traits.
public struct HistoryTrait: TestTrait, SuiteTrait, TestScoping {
  let settings: HistorySettings

  /// A Boolean value that indicates that a suite's trait also applies to nested suites and tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the settings of the trait.
  @concurrent
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let settings = settings.or(HistorySettings.current)
    try await HistorySettings.$current.withValue(settings) { try await function() }
  }
}

extension Trait where Self == HistoryTrait {
  /// Sets how history is checked; `nil` arguments keep the settings of outer traits.
  ///
  /// - Parameters:
  ///   - plans: The number of plans. The default is 200.
  ///   - seed: The seed of the plans. The default is 1.
  ///   - time: The time limit of a check, including shrinking. The default is no limit.
  ///   - corpus: The folder of counterexamples: its files are replayed first, and new ones are
  ///     added. A relative path starts at the folder of the test's file. The default is none.
  /// - Returns: The trait.
  public static func history(
    plans: Int? = nil,
    seed: UInt64? = nil,
    time: Duration? = nil,
    corpus: String? = nil
  ) -> HistoryTrait {
    HistoryTrait(
      settings: HistorySettings(plans: plans, seed: seed, time: time, corpus: corpus)
    )
  }
}
