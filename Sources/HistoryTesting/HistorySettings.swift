public import Testing

/// The settings of a check; a setting that is `nil` is taken from an outer scope.
///
/// Environment variables have the highest precedence. After them come the arguments of the call,
/// the test's trait, and the traits of the enclosing suites, the innermost first.
struct HistorySettings: Sendable {
  /// The number of plans to run.
  ///
  /// `nil` takes the number from an outer scope. If no scope sets it, 200 plans run, or as many as
  /// the time limit allows.
  var plans: Int?
  var seed: UInt64?
  /// The number of the only plan to run; `nil` runs all plans.
  var plan: Int?
  /// The time limit of a check, which includes shrinking.
  var time: Duration?
  /// The folder with the counterexamples of earlier runs.
  var corpus: String?

  /// The settings from the ``HistoryTrait``s of the running test and of its suites.
  @TaskLocal static var current = HistorySettings()

  /// Returns these settings; missing values are taken from `others`.
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
  /// A sentence that states the problem, and what to do.
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
/// A setting that a trait omits is taken from an outer trait. Environment variables override all
/// traits.
public struct HistoryTrait: TestTrait, SuiteTrait, TestScoping {
  let settings: HistorySettings

  /// Always `true`: a suite's trait also applies to nested suites and tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the settings of the trait.
  ///
  /// - Throws: The errors of the test.
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
  /// A trait with settings for `checkHistory`; for `nil` arguments, outer traits apply.
  ///
  /// - Parameters:
  ///   - plans: The number of plans. The default is 200.
  ///   - seed: The seed of the plans. The default is 1.
  ///   - time: The time limit of a check, which includes shrinking. The default is no limit.
  ///   - corpus: The folder of counterexamples. Its files are replayed first, and new counterexamples
  ///     are added. A relative path starts at the folder of the test's file. The default is none.
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
