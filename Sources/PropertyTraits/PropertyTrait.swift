public import Testing

/// Settings for the properties of a test, or of all tests of a suite.
///
///     @Test(.property(cases: 1_000)) func `Sorting keeps every element`() async throws {
///       try await property(Generator<Int>.ints().array()) { numbers in ... }
///     }
///
/// What an inner trait does not say, one further out does; the environment overrides them all.
public struct PropertyTrait: TestTrait, SuiteTrait, TestScoping {
  let settings: PropertySettings

  /// Whether the trait of a suite counts for the tests and suites inside it: it does.
  public var isRecursive: Bool { true }

  /// Runs a test with the settings.
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
  /// Says how properties are run; what is nil is left as it is.
  ///
  /// - Parameters:
  ///   - cases: How many cases to run; 200 if nobody says it.
  ///   - seed: The seed; a random one if nobody says it. Each failure shows its own.
  ///   - time: How long a property may take, shrinking included.
  ///   - corpus: The folder that keeps failing cases, which are tried first; none if nobody says it.
  /// - Returns: the trait.
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
