import Dispatch
import Foundation
import PropertyTesting

/// Hands cases from the thread that searches to the task that runs them, one at a time.
///
/// The search is a plain loop and the body of a property may wait: so the loop has a thread of its
/// own, which sleeps while the task runs a case. The body stays in the task of its test, with all
/// that is bound to it.
final class CaseExchange: @unchecked Sendable {
  typealias Answer = (result: CaseResult, source: ChoiceSource)

  /// The cases to run, each to be answered before the next one comes.
  let questions: AsyncStream<ChoiceSource>
  private let asked: AsyncStream<ChoiceSource>.Continuation
  private let answered = DispatchSemaphore(value: 0)
  /// Written before a signal of `answered`, read after it.
  private var answer: Answer?
  private let lock = NSLock()
  private var result: PropertyResult?
  private var isAbandoned = false

  init() { (questions, asked) = AsyncStream.makeStream() }

  /// Starts the search; its property is answered by whoever reads the questions.
  ///
  /// The budget's clock jumps to its end once the questions are abandoned.
  func start(_ runner: PropertyRunner) {
    var runner = runner
    let clock = runner.budget.clock
    runner.budget.time = runner.budget.time ?? .seconds(1_000_000_000)
    runner.budget.clock = { [self] in
      lock.withLock { isAbandoned } ? .seconds(1_000_000_000_000) : clock?() ?? .zero
    }
    run(runner)
  }

  private func run(_ runner: PropertyRunner) {
    let thread = Thread { [self] in
      let found = runner.run { source in ask(&source) }
      lock.withLock { result = found }
      asked.finish()
    }
    // Generators recurse; threads have half a megabyte if nobody says otherwise.
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

  /// Answers the last question.
  func reply(_ result: CaseResult, _ source: ChoiceSource) {
    lock.withLock { answer = (result, source) }
    answered.signal()
  }

  /// Lets the search end without an answer to its last question, and soon.
  ///
  /// Whoever reads the questions calls it when it stops reading; after the last question it does no
  /// harm.
  func abandon() {
    lock.withLock { isAbandoned = true }
    answered.signal()
  }

  /// What the search came to, once the questions have ended.
  func finalResult() -> PropertyResult? { lock.withLock { result } }
}
