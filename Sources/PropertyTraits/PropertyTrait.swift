public import Testing

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
