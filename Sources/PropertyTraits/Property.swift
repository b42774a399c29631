public import PropertyTesting
public import Testing

/// Checks that a body passes for the values of a generator.
///
///     try await property(Generator<Int>.ints().array()) { numbers in
///       #expect(mySorted(numbers) == numbers.sorted())
///     }
///
/// A case fails if the body throws or one of its expectations fails. The first failing case is
/// shrunk, and recorded as an issue at the call, with its values, the seed and a line to replay
/// it; the expectation that fails in the shrunk case is an issue at its own line. Other cases
/// record no issues. A known issue of the body does not fail its case, unless the whole property is
/// inside `withKnownIssue`: then the failure is shrunk, and its issues are known.
///
/// A body that throws `Rejection` discards its case; one that throws `Vacuity` reports that the case
/// tested nothing. A run with too many such cases fails as well.
///
/// A trap ends the process. To repeat the run, use the seed, which is printed at the start unless
/// you set it. With a corpus, a file contains the running case: the next run shrinks that case in
/// child processes, and records an issue with the signal and the simplest case that traps. With the
/// trait `.property(catchesTraps: true)` or `PROPERTY_TRAPS=1`, all cases run in a child process,
/// so that the first run already reports the trap as an issue.
///
/// - Parameters:
///   - generator: The generator of the values.
///   - replay: The line of text from which a single case is replayed, as a failure prints it. The
///     default `nil` runs all cases, unless `PROPERTY_REPLAY` is set.
///   - isolation: The actor on which the body runs; the default is that of the caller.
///   - sourceLocation: The location at which issues are recorded.
///   - body: The check of each value.
/// - Returns: The result of the run, including statistics.
/// - Throws: `PropertySettingsError` if an environment variable or the line to replay is invalid, a
///   file error if the corpus cannot be read or written, `CancellationError` if the test was
///   cancelled. A failing case does not throw.
@discardableResult
public func property<Value>(
  _ generator: Generator<Value>,
  replay: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (Value) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let drawing = DrawingBody { source in
    try await body(source.draw(generator))
  } drawing: { source in
    [try source.draw(generator)]
  }
  return try await run.check(IsolatedBody(drawing), on: isolation)
}

/// Checks that a body passes for the values of two generators.
///
/// See the overload with one generator for details.
///
/// - Throws: ``PropertySettingsError``, a file error of the corpus, or `CancellationError`. A
///   failing case does not throw.
@discardableResult
public func property<First, Second>(
  _ first: Generator<First>,
  _ second: Generator<Second>,
  replay: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (First, Second) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let drawing = DrawingBody { source in
    try await body(source.draw(first), source.draw(second))
  } drawing: { source in
    [try source.draw(first), try source.draw(second)]
  }
  return try await run.check(IsolatedBody(drawing), on: isolation)
}

/// Checks that a body passes for the values of three generators.
///
/// See the overload with one generator for details.
///
/// - Throws: ``PropertySettingsError``, a file error of the corpus, or `CancellationError`. A
///   failing case does not throw.
@discardableResult
public func property<First, Second, Third>(
  _ first: Generator<First>,
  _ second: Generator<Second>,
  _ third: Generator<Third>,
  replay: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (First, Second, Third) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let drawing = DrawingBody { source in
    try await body(source.draw(first), source.draw(second), source.draw(third))
  } drawing: { source in
    [try source.draw(first), try source.draw(second), try source.draw(third)]
  }
  return try await run.check(IsolatedBody(drawing), on: isolation)
}

/// Checks that a body passes for the values of four generators.
///
/// See the overload with one generator for details.
///
/// - Throws: ``PropertySettingsError``, a file error of the corpus, or `CancellationError`. A
///   failing case does not throw.
@discardableResult
public func property<First, Second, Third, Fourth>(
  _ first: Generator<First>,
  _ second: Generator<Second>,
  _ third: Generator<Third>,
  _ fourth: Generator<Fourth>,
  replay: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (First, Second, Third, Fourth) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let drawing = DrawingBody { source in
    try await body(
      source.draw(first),
      source.draw(second),
      source.draw(third),
      source.draw(fourth)
    )
  } drawing: { source in
    [
      try source.draw(first),
      try source.draw(second),
      try source.draw(third),
      try source.draw(fourth),
    ]
  }
  return try await run.check(IsolatedBody(drawing), on: isolation)
}

/// Checks that a body passes for the values of five generators.
///
/// See the overload with one generator for details.
///
/// - Throws: ``PropertySettingsError``, a file error of the corpus, or `CancellationError`. A
///   failing case does not throw.
@discardableResult
public func property<First, Second, Third, Fourth, Fifth>(
  _ first: Generator<First>,
  _ second: Generator<Second>,
  _ third: Generator<Third>,
  _ fourth: Generator<Fourth>,
  _ fifth: Generator<Fifth>,
  replay: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (First, Second, Third, Fourth, Fifth) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let drawing = DrawingBody { source in
    try await body(
      source.draw(first),
      source.draw(second),
      source.draw(third),
      source.draw(fourth),
      source.draw(fifth)
    )
  } drawing: { source in
    [
      try source.draw(first),
      try source.draw(second),
      try source.draw(third),
      try source.draw(fourth),
      try source.draw(fifth),
    ]
  }
  return try await run.check(IsolatedBody(drawing), on: isolation)
}

/// Checks that a body passes for the values of six or more generators.
///
///     try await property(a, b, c, d, e, f) { a, b, c, d, e, f in
///       #expect([a, b, c, d, e, f].count == 6)
///     }
///
/// A body that belongs to an actor switches to it for each case. See the overload with one
/// generator for details.
///
/// - Throws: ``PropertySettingsError``, a file error of the corpus, or `CancellationError`. A
///   failing case does not throw.
@discardableResult
public func property<each Value>(
  _ generators: repeat Generator<each Value>,
  replay: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @concurrent (repeat each Value) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let packed = PackedBody(generators: (repeat each generators), body: body)
  return try await run.check(IsolatedBody(packed), on: isolation)
}

/// Checks that a body, which draws its own values, passes for all random choices.
///
///     try await property { source in
///       var log = SharedLog(actorCount: source.int(in: 2...5))
///       try source.perform(on: &log)
///     }
///
/// The issue of a failing case shows only what its error describes. See the overload with
/// generators for details.
///
/// - Throws: ``PropertySettingsError``, a file error of the corpus, or `CancellationError`. A
///   failing case does not throw.
@discardableResult
public func property(
  replay: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (inout ChoiceSource) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  return try await run.check(IsolatedBody(DrawingBody(body: body)), on: isolation)
}

/// The settings of a property run; `nil` values are taken from an outer scope.
///
/// Environment variables have the highest precedence, then the trait of the test, then the traits
/// of the enclosing suites, the innermost first.
struct PropertySettings: Sendable {
  /// The number of cases to run.
  var cases: Int?
  /// The seed; `nil` draws a random one.
  var seed: UInt64?
  /// The time limit of a property, including shrinking.
  var time: Duration?
  /// The folder of the cases that failed in earlier runs.
  var corpus: String?
  /// The line of text from which a single case is replayed; `nil` runs all cases.
  var replay: String?
  /// Whether to print the statistics of the cases.
  var showsStatistics: Bool?
  /// Whether to run all cases in child processes.
  var catchesTraps: Bool?

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
      showsStatistics: showsStatistics ?? others.showsStatistics,
      catchesTraps: catchesTraps ?? others.catchesTraps
    )
  }
}

extension PropertySettings {
  /// Reads the settings from environment variables.
  ///
  /// The variables are `PROPERTY_CASES`, `PROPERTY_SEED`, `PROPERTY_TIME` (seconds),
  /// `PROPERTY_CORPUS`, `PROPERTY_REPLAY`, `PROPERTY_STATISTICS` and `PROPERTY_TRAPS` (1 or 0).
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
    catchesTraps = try value("PROPERTY_TRAPS", "1 or 0") { ["1": true, "0": false][$0] }
  }
}

/// An invalid setting of a property: an environment variable or a line to replay.
public struct PropertySettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the setting, such as `PROPERTY_CASES`.
  public let name: String
  /// The invalid value.
  public let value: String
  /// A description of the values that the setting accepts.
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
/// Settings that a trait omits are taken from outer traits. Environment variables override all
/// traits.
public struct PropertyTrait: TestTrait, SuiteTrait, TestScoping {
  let settings: PropertySettings

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
    let settings = settings.or(PropertySettings.current)
    try await PropertySettings.$current.withValue(settings) { try await function() }
  }
}

extension Trait where Self == PropertyTrait {
  /// Returns a trait that sets how properties are run; for `nil` arguments, outer traits apply.
  ///
  /// - Parameters:
  ///   - cases: The number of cases to run. The default is 200, or unlimited if `time` is set.
  ///   - seed: The seed, which each failure shows. The default is random.
  ///   - time: The time limit of a property, including shrinking. The default is no limit.
  ///   - corpus: The folder of failing cases, which are run first. The default is none.
  ///   - catchesTraps: Whether all cases run in a child process, so that a trap is recorded as an
  ///     issue with the simplest case that traps. The default is `false`.
  /// - Returns: The trait.
  public static func property(
    cases: Int? = nil,
    seed: UInt64? = nil,
    time: Duration? = nil,
    corpus: String? = nil,
    catchesTraps: Bool? = nil
  ) -> PropertyTrait {
    PropertyTrait(
      settings: PropertySettings(
        cases: cases,
        seed: seed,
        time: time,
        corpus: corpus,
        catchesTraps: catchesTraps
      )
    )
  }
}
