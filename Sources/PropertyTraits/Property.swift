public import PropertyTesting
public import Testing

/// Checks that a body passes for the values of a generator.
///
///     try await property(Generator<Int>.ints().array()) { numbers in
///       #expect(mySorted(numbers) == numbers.sorted())
///     }
///
/// A case fails when the body throws or one of its expectations does not hold. The first failing case
/// is made as simple as it gets, and recorded as one issue at the call, with its values, the seed and
/// a line to replay it; no other case leaves an issue. A body that throws `Rejection` discards its
/// case, one that throws `Vacuity` says that it tested nothing; a run of which too many cases did so
/// fails as well.
///
/// - Parameters:
///   - generator: What makes the values.
///   - replay: The line of a case to run instead of all others.
///   - sourceLocation: Where issues are recorded.
///   - body: What should hold of each value.
/// - Returns: what the run came to, for tests that look at statistics.
/// - Throws: `PropertySettingsError` when an environment variable cannot be read, an error when the
///   corpus cannot be, `CancellationError` when the test was cancelled. A failing case throws nothing.
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
/// See the first `property` for the rest.
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

/// Checks that a body passes for the values of three generators; more fit into one generator.
///
/// See the first `property` for the rest.
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

/// Checks that a body passes that draws what it needs by itself.
///
///     try await property { source in
///       var log = SharedLog(actorCount: source.int(in: 2...5))
///       try source.perform(on: &log)
///     }
///
/// The values of a failing case are what its error says of them. See the other `property` for the
/// rest.
@discardableResult
public func property(
  replay: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable (inout ChoiceSource) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  return try await run.check { source, _ in try await body(&source) }
}
