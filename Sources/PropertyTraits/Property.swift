public import PropertyTesting
public import Testing

/// Checks that a body passes for the values of a generator.
///
///     try await property(Generator<Int>.ints().array()) { numbers in
///       #expect(mySorted(numbers) == numbers.sorted())
///     }
///
/// A case fails if the body throws or one of its expectations fails. The first failing case is
/// shrunk, and recorded as one issue at the call, with its values, the seed and a line to replay
/// it; other cases record no issues. A body that throws `Rejection` discards its case; one that
/// throws `Vacuity` reports that the case tested nothing. A run with too many such cases fails as
/// well.
///
/// - Parameters:
///   - generator: The generator of the values.
///   - replay: The line of a single case to run instead of all cases.
///   - sourceLocation: The location at which issues are recorded.
///   - body: The check of each value.
/// - Returns: The result of the run, including statistics.
/// - Throws: `PropertySettingsError` if an environment variable is invalid, a file error if the
///   corpus cannot be read or written, `CancellationError` if the test was cancelled. A failing
///   case does not throw.
@discardableResult
public func property<Value>(
  _ generator: Generator<Value>,
  replay: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (Value) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  return try await run.check { source, shows in
    let value = try source.draw(generator)
    shows(PropertyRun.text(of: [value]))
    try await body(value)
  }
}

/// Checks that a body passes for the values of two generators.
///
/// See the overload with one generator for details.
@discardableResult
public func property<First, Second>(
  _ first: Generator<First>,
  _ second: Generator<Second>,
  replay: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (First, Second) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  return try await run.check { source, shows in
    let (one, two) = (try source.draw(first), try source.draw(second))
    shows(PropertyRun.text(of: [one, two]))
    try await body(one, two)
  }
}

/// Checks that a body passes for the values of three generators.
///
/// Combine further values in one generator. See the overload with one generator for details.
@discardableResult
public func property<First, Second, Third>(
  _ first: Generator<First>,
  _ second: Generator<Second>,
  _ third: Generator<Third>,
  replay: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (First, Second, Third) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  return try await run.check { source, shows in
    let (one, two) = (try source.draw(first), try source.draw(second))
    let three = try source.draw(third)
    shows(PropertyRun.text(of: [one, two, three]))
    try await body(one, two, three)
  }
}

/// Checks that a body passes that draws its own values.
///
///     try await property { source in
///       var log = SharedLog(actorCount: source.int(in: 2...5))
///       try source.perform(on: &log)
///     }
///
/// The issue of a failing case shows only what its error describes. See the overload with one
/// generator for details.
@discardableResult
public func property(
  replay: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (inout ChoiceSource) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  return try await run.check { source, _ in try await body(&source) }
}

/// The settings of a property run; `nil` values are taken from an outer scope.
///
/// The environment has the highest precedence, then the trait of the test, then the traits of
/// enclosing suites, from the inside out.
struct PropertySettings: Sendable {
  /// The number of cases to run.
  var cases: Int?
  /// The seed; `nil` draws a random one.
  var seed: UInt64?
  /// The time limit of a property, including shrinking.
  var time: Duration?
  /// The folder of the cases that failed in earlier runs.
  var corpus: String?
  /// The line of a single case to run instead of all cases.
  var replay: String?
  /// Whether to print the statistics of the cases.
  var showsStatistics: Bool?

  /// The settings of the traits that apply to the current task.
  @TaskLocal static var current = PropertySettings()

  /// Returns these settings, with missing values taken from others.
  func or(_ others: PropertySettings) -> PropertySettings {
    PropertySettings(
      cases: cases ?? others.cases,
      seed: seed ?? others.seed,
      time: time ?? others.time,
      corpus: corpus ?? others.corpus,
      replay: replay ?? others.replay,
      showsStatistics: showsStatistics ?? others.showsStatistics
    )
  }
}

extension PropertySettings {
  /// Reads the settings from environment variables.
  ///
  /// The variables are `PROPERTY_CASES`, `PROPERTY_SEED`, `PROPERTY_TIME` (seconds),
  /// `PROPERTY_CORPUS`, `PROPERTY_REPLAY` and `PROPERTY_STATISTICS` (1 or 0).
  ///
  /// - Throws: ``PropertySettingsError`` if a variable has an invalid value.
  init(environment: [String: String]) throws(PropertySettingsError) {
    func value<Value>(
      _ name: String,
      _ meaning: String,
      _ read: (String) -> Value?
    ) throws(PropertySettingsError) -> Value? {
      guard let text = environment[name], !text.isEmpty else { return nil }
      guard let value = read(text) else {
        throw PropertySettingsError(name: name, value: text, meaning: meaning)
      }
      return value
    }
    cases = try value("PROPERTY_CASES", "a number of cases, 1 or more") { text in
      Int(text).flatMap { $0 > 0 ? $0 : nil }
    }
    seed = try value("PROPERTY_SEED", "a whole number of up to 64 bits") { UInt64($0) }
    time = try value("PROPERTY_TIME", "a number of seconds above 0") { text in
      Double(text).flatMap { $0 > 0 && $0 < 1e9 ? .seconds($0) : nil }
    }
    corpus = environment["PROPERTY_CORPUS"].flatMap { $0.isEmpty ? nil : $0 }
    replay = environment["PROPERTY_REPLAY"].flatMap { $0.isEmpty ? nil : $0 }
    showsStatistics = try value("PROPERTY_STATISTICS", "1 or 0") { ["1": true, "0": false][$0] }
  }
}

/// An invalid setting of a property: an environment variable or a line to replay.
public struct PropertySettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the setting.
  public let name: String
  /// The invalid value.
  public let value: String
  /// A description of valid values.
  public let meaning: String

  /// A sentence with the name, the value and a description of valid values.
  public var description: String { "\(name) is \"\(value)\"; give \(meaning)." }
}

/// Settings for the properties of a test, or of all tests of a suite.
///
///     @Test(.property(cases: 1_000)) func `Sorting keeps every element`() async throws {
///       try await property(Generator<Int>.ints().array()) { numbers in ... }
///     }
///
/// Settings that a trait omits are taken from outer traits. The environment overrides all traits.
public struct PropertyTrait: TestTrait, SuiteTrait, TestScoping {
  let settings: PropertySettings

  /// A Boolean value that indicates that a suite's trait also applies to nested suites and tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the settings of the trait.
  @concurrent
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let settings = settings.or(PropertySettings.current)
    try await PropertySettings.$current.withValue(settings) { try await function() }
  }
}

extension Trait where Self == PropertyTrait {
  /// Sets how properties are run; `nil` arguments keep the settings of outer traits.
  ///
  /// - Parameters:
  ///   - cases: The number of cases to run. The default is 200, or unlimited if `time` is set.
  ///   - seed: The seed, which each failure shows. The default is random.
  ///   - time: The time limit of a property, including shrinking. The default is no limit.
  ///   - corpus: The folder of failing cases, which are run first. The default is none.
  /// - Returns: The trait.
  public static func property(
    cases: Int? = nil,
    seed: UInt64? = nil,
    time: Duration? = nil,
    corpus: String? = nil
  ) -> PropertyTrait {
    PropertyTrait(
      settings: PropertySettings(cases: cases, seed: seed, time: time, corpus: corpus)
    )
  }
}
