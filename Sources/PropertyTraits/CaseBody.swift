import Dispatch
import Foundation
public import PropertyTesting
import Testing

/// The body of a `property(...)` call, which runs once for each generated case.
protocol CaseBody {
  /// Draws the values of a case from a choice source, and runs the body on them.
  func run(_ source: inout ChoiceSource, on isolation: isolated (any Actor)?) async throws

  /// Draws the values of a case from a choice source, and returns them as text.
  ///
  /// The text is empty if the property has no generators.
  func values(_ source: inout ChoiceSource) throws -> String
}

/// A body that receives the values of any number of generators as arguments.
///
/// Swift 6.3 cannot compile closures that receive parameter packs and inherit the isolation of
/// their caller, so this body is called without an actor. An isolated body switches to its actor.
struct PackedBody<each Value>: CaseBody, @unchecked Sendable {
  let generators: (repeat Generator<each Value>)
  let body: @concurrent (repeat each Value) async throws -> Void

  func run(_ source: inout ChoiceSource, on isolation: isolated (any Actor)?) async throws {
    try await run(&source)
  }

  @concurrent private func run(_ source: inout ChoiceSource) async throws {
    let values = (repeat try (each generators).draw(&source))
    try await body(repeat each values)
  }

  func values(_ source: inout ChoiceSource) throws -> String {
    var texts: [String] = []
    for generator in repeat each generators {
      texts.append(Self.text(of: try generator.draw(&source)))
    }
    return texts.joined(separator: ", ")
  }
}

extension CaseBody {
  /// Returns a value as text, with strings in quotes.
  static func text(of value: Any) -> String {
    value is String ? String(reflecting: value) : String(describing: value)
  }
}

/// The body of a property as a closure that itself draws its values from a choice source.
struct DrawingBody: CaseBody {
  let body: (inout ChoiceSource) async throws -> Void
  /// A closure that draws the same values as `body`, and returns them for failure messages.
  ///
  /// The default returns an empty array.
  var drawing: (inout ChoiceSource) throws -> [Any] = { _ in [] }

  func run(_ source: inout ChoiceSource, on isolation: isolated (any Actor)?) async throws {
    try await body(&source)
  }

  func values(_ source: inout ChoiceSource) throws -> String {
    try drawing(&source).map { Self.text(of: $0) }.joined(separator: ", ")
  }
}

/// A `Sendable` wrapper that passes a non-`Sendable` body to the task that collects issues.
///
/// This is safe because the body runs only on its caller's actor, and the caller waits for it.
struct IsolatedBody: @unchecked Sendable {
  private let body: any CaseBody

  init(_ body: any CaseBody) { self.body = body }

  /// Runs a case; a failed expectation fails the case like a thrown error.
  ///
  /// A known issue fails the case only if the whole property is inside `withKnownIssue`.
  ///
  /// - Returns: The result, and the first issue if an expectation failed.
  func run(
    _ source: inout ChoiceSource,
    _ recorder: IssueRecorder,
    on isolation: isolated (any Actor)?
  ) async -> (CaseResult, Issue?) {
    var thrown: (any Error)?
    do { try await body.run(&source, on: isolation) } catch { thrown = error }
    if let issue = recorder.take(), await IssueRecorder.isFailure(issue) {
      let message = joined(values(source.sequence), "\(issue)")
      return (.failed(label: issue.label, message: message), issue)
    }
    guard let thrown else { return (.passed, nil) }
    let result = CaseResult.of(thrown, &source)
    guard case .failed(let label, let message) = result else { return (result, nil) }
    return (.failed(label: label, message: joined(values(source.sequence), message)), nil)
  }

  /// Replays the choices of a case, and returns the values that the generators draw, as text.
  ///
  /// The text is empty if the property has no generators, or if a generator throws.
  func values(_ sequence: ChoiceSequence) -> String {
    var source = ChoiceSource(replaying: sequence, choiceCountMax: .max)
    return (try? body.values(&source)) ?? ""
  }

  private func joined(_ values: String, _ reason: String) -> String {
    values.isEmpty ? reason : values + "\n" + reason
  }
}

/// Discards the current case of a property, with a reason, unless a condition holds.
///
///     try await property(.ints().array()) { numbers in
///       try assume(numbers.count > 1, "two numbers or more")
///       #expect(numbers.sorted().first! <= numbers.sorted().last!)
///     }
///
/// Call this function instead of returning early from the body: a case whose body returns early
/// counts as passed, although its values were not checked. Discarded cases are counted. A completed
/// run fails, and shows up to three of their reasons, if all cases are discarded, or if at least
/// fifty cases, and more than nine in ten, are discarded.
///
/// - Throws: `Rejection` if the condition does not hold.
public func assume(_ condition: Bool, _ reason: String = "assumption") throws(Rejection) {
  if !condition { throw Rejection(reason) }
}

/// A channel that passes cases, one at a time, from the search's thread to the task that runs them.
///
/// The search for simpler cases is a synchronous loop, but the body of a property may await. The
/// loop therefore has its own thread, which blocks while the task runs a case. The body runs in the
/// task of its test, with the task-local values of that test.
final class CaseExchange: @unchecked Sendable {
  typealias Answer = (result: CaseResult, source: ChoiceSource)

  /// The cases that the search sends to the task that runs them, as choice sources.
  ///
  /// The task must reply to each case before the search sends the next one.
  let questions: AsyncStream<ChoiceSource>
  private let asked: AsyncStream<ChoiceSource>.Continuation
  private let answered = DispatchSemaphore(value: 0)
  /// The result of the last case, written before `answered` is signalled, and read afterwards.
  private var answer: Answer?
  private let lock = NSLock()
  private var result: PropertyResult?
  private var isAbandoned = false

  init() { (questions, asked) = AsyncStream.makeStream() }

  /// Starts a search for a simpler failing case on a new thread.
  ///
  /// The search receives a closure. The closure sends one case to ``questions``, waits for the
  /// reply, and returns the result of the case. The caller's task must read the cases from
  /// ``questions``, run each of them, and call ``reply(_:_:)``.
  func start(
    _ search: @escaping @Sendable ((inout ChoiceSource) -> CaseResult) -> PropertyResult
  ) {
    let thread = Thread { [self] in
      let found = search { source in ask(&source) }
      lock.withLock { result = found }
      asked.finish()
    }
    // Generators recurse deeply; the default stack of a new thread, half a megabyte, is too small.
    thread.stackSize = 16 << 20
    thread.start()
  }

  private func ask(_ source: inout ChoiceSource) -> CaseResult {
    guard !lock.withLock({ isAbandoned }) else { return .discarded }
    var question = ChoiceSource(replaying: ChoiceSequence())
    swap(&question, &source)
    asked.yield(question)
    answered.wait()
    let answer = lock.withLock {
      defer { self.answer = nil }
      return self.answer
    }
    guard let answer else { return .discarded }
    source = answer.source
    return answer.result
  }

  /// Gives the waiting search thread the result of the last case from ``questions``.
  ///
  /// `source` is the choice source from which the case was drawn.
  func reply(_ result: CaseResult, _ source: ChoiceSource) {
    lock.withLock { answer = (result, source) }
    answered.signal()
  }

  /// Makes the search for a simpler failing case finish soon, without running further cases.
  ///
  /// The case whose result the search awaits, and all later ones, count as discarded. The task that
  /// runs the cases from ``questions`` must call this method when it stops reading them. After the
  /// reply to the search's last case, a call has no effect.
  func abandon() {
    lock.withLock { isAbandoned = true }
    answered.signal()
  }

  /// Returns the result of the search, or `nil` while the search still runs.
  func finalResult() -> PropertyResult? { lock.withLock { result } }
}
