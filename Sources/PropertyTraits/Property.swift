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
