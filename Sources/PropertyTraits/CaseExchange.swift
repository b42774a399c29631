import Dispatch
import Foundation
import PropertyTesting

/// Passes cases from the thread that shrinks to the task that runs them, one at a time.
///
/// The search is a synchronous loop, but the body of a property may await. The loop therefore has
/// its own thread, which blocks while the task runs a case. The body runs in the task of its test,
/// with the task-local values of that test.
final class CaseExchange: @unchecked Sendable {
  typealias Answer = (result: CaseResult, source: ChoiceSource)

  /// The cases to run; each must be answered before the next one is sent.
  let questions: AsyncStream<ChoiceSource>
  private let asked: AsyncStream<ChoiceSource>.Continuation
  private let answered = DispatchSemaphore(value: 0)
  /// Written before a signal of `answered`, and read after it.
  private var answer: Answer?
  private let lock = NSLock()
  private var result: PropertyResult?
  private var isAbandoned = false

  init() { (questions, asked) = AsyncStream.makeStream() }

  /// Starts a search that runs each case through the closure which it is given.
  ///
  /// The reader of `questions` must run the cases and reply.
  func start(
    _ search: @escaping @Sendable ((inout ChoiceSource) -> CaseResult) -> PropertyResult
  ) {
    let thread = Thread { [self] in
      let found = search { source in ask(&source) }
      lock.withLock { result = found }
      asked.finish()
    }
    // Generators recurse, and secondary threads have a stack of half a megabyte by default.
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

  /// Replies to the last question with the result of its case.
  func reply(_ result: CaseResult, _ source: ChoiceSource) {
    lock.withLock { answer = (result, source) }
    answered.signal()
  }

  /// Discards the last question and all further ones, so that the search finishes soon.
  ///
  /// The reader of `questions` calls it when it stops reading. Calling it after the last question
  /// has no effect.
  func abandon() {
    lock.withLock { isAbandoned = true }
    answered.signal()
  }

  /// Returns the result of the search, or `nil` before the questions have ended.
  func finalResult() -> PropertyResult? { lock.withLock { result } }
}
