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
/// A trap ends the process. The seed is printed before unless it was given; with a corpus, the
/// case that is running also lies in a file, is printed by the next run and runs first.
///
/// - Parameters:
///   - generator: The generator of the values.
///   - replay: The line of a single case to run instead of all cases.
///   - isolation: The actor on which the body runs; the default is that of the caller.
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
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (Value) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let isolated = IsolatedBody { source, shows in
    let value = try source.draw(generator)
    shows(PropertyRun.text(of: [value]), source)
    try await body(value)
  }
  return try await run.check { source, shows in
    try await isolated.run(&source, shows, on: isolation)
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
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping (First, Second) async throws -> Void
) async throws -> PropertyResult {
  let run = try PropertyRun(replay: replay, sourceLocation)
  let isolated = IsolatedBody { source, shows in
    let one = try source.draw(first)
    let two = try source.draw(second)
    shows(PropertyRun.text(of: [one, two]), source)
    try await body(one, two)
  }
  return try await run.check { source, shows in
    try await isolated.run(&source, shows, on: isolation)
  }
}

/// Checks that a body passes for the values of three generators.
///
/// See the overload with one generator for details.
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
  let isolated = IsolatedBody { source, shows in
    let one = try source.draw(first)
    let two = try source.draw(second)
    let three = try source.draw(third)
    shows(PropertyRun.text(of: [one, two, three]), source)
    try await body(one, two, three)
  }
  return try await run.check { source, shows in
    try await isolated.run(&source, shows, on: isolation)
  }
}

/// Checks that a body passes for the values of four generators.
///
/// See the overload with one generator for details.
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
  let isolated = IsolatedBody { source, shows in
    let one = try source.draw(first)
    let two = try source.draw(second)
    let three = try source.draw(third)
    let four = try source.draw(fourth)
    shows(PropertyRun.text(of: [one, two, three, four]), source)
    try await body(one, two, three, four)
  }
  return try await run.check { source, shows in
    try await isolated.run(&source, shows, on: isolation)
  }
}

/// Checks that a body passes for the values of five generators.
///
/// Combine further values in one generator. See the overload with one generator for details.
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
  let isolated = IsolatedBody { source, shows in
    let one = try source.draw(first)
    let two = try source.draw(second)
    let three = try source.draw(third)
    let four = try source.draw(fourth)
    let five = try source.draw(fifth)
    shows(PropertyRun.text(of: [one, two, three, four, five]), source)
    try await body(one, two, three, four, five)
  }
  return try await run.check { source, shows in
    try await isolated.run(&source, shows, on: isolation)
  }
}

/// The body of a property, which is only run on the actor of its caller.
///
/// It crosses to the task that collects issues and back; the caller waits meanwhile.
private struct IsolatedBody: @unchecked Sendable {
  typealias Body = (inout ChoiceSource, PropertyRun.Shows) async throws -> Void
  private let body: Body

  init(_ body: @escaping Body) { self.body = body }

  func run(
    _ source: inout ChoiceSource,
    _ shows: PropertyRun.Shows,
    on isolation: isolated (any Actor)?
  ) async throws {
    try await body(&source, shows)
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
