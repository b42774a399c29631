import Foundation
import PropertyTesting
import Synchronization
import Testing

/// A search for a failing case that runs all cases in child processes, so that a trap is a failure.
struct TrapSearch: Sendable {
  /// An error with the reason why no child process can run cases.
  struct Unavailable: Error {
    let clause: String
  }

  let call: PropertyCall
  let runner: PropertyRunner

  /// Runs cases until one fails, and shrinks it.
  ///
  /// - Parameter earlier: The cases that trapped in earlier runs. All are tried; those that still
  ///   fail become the first cases of the run.
  /// - Returns: The result of the run.
  /// - Throws: ``Unavailable``, or `CancellationError` if the task was cancelled.
  func run(_ earlier: [NotedCase]) async throws -> CaseSearch.Found {
    let isCancelled = Atomic(false)
    let found = await withTaskCancellationHandler {
      await Self.onThread { search(earlier) { isCancelled.load(ordering: .relaxed) } }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
    try Task.checkCancellation()
    return try found.get()
  }

  private func search(
    _ earlier: [NotedCase],
    isCancelled: () -> Bool
  ) -> Result<CaseSearch.Found, Unavailable> {
    let worker = CaseWorker(call)
    func result(_ source: inout ChoiceSource) -> CaseResult {
      isCancelled() || worker.startFailure != nil ? .discarded : worker.run(&source)
    }
    var runner = runner
    runner.examples = earlier.compactMap { failing($0, result) } + runner.examples
    var loop = CaseLoop(runner)
    while !isCancelled(), worker.startFailure == nil, loop.start() {
      loop.finish(result(&loop.source))
    }
    let found = loop.result(nil, result)
    if let failure = worker.startFailure { return .failure(Unavailable(clause: failure)) }
    let shrunk = found.failure?.shrunk
    let isTrap = shrunk?.label.hasPrefix(CaseWorker.labelPrefix) == true
    let values = isTrap ? shrunk.map { worker.values($0.sequence) } ?? "" : ""
    return .success((found, nil, values))
  }

  /// Returns the choices of an earlier case if it still fails, otherwise `nil`.
  private func failing(
    _ noted: NotedCase,
    _ result: (inout ChoiceSource) -> CaseResult
  ) -> ChoiceSequence? {
    var source = noted.source
    guard case .failed = result(&source) else { return nil }
    return source.sequence
  }

  /// Runs a closure, which may wait for child processes, on a new thread.
  private static func onThread<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      // Generators recurse deeply; the default stack of a new thread, half a megabyte, is too
      // small.
      thread.stackSize = 16 << 20
      thread.start()
    }
  }
}
