import Dispatch
import PropertyTesting
import TestSupport
import Testing

@Suite(.blocksItsThread) struct SeededExecutorTests {
  /// An actor that records the order of its tasks.
  private actor Notes {
    let executor: SeededExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    var order: [Int] = []

    init(on executor: SeededExecutor) { self.executor = executor }

    func start(_ count: Int) {
      for number in 0..<count { Task { self.order.append(number) } }
    }
  }

  private func order(seed: UInt64) -> [Int] {
    let executor = SeededExecutor(seed: seed)
    let notes = Notes(on: executor)
    _ = executor.run(.seeded) { await notes.start(8) }
    for _ in 0..<64 { executor.endCommand() }
    return executor.run(.newestFirst) { await notes.order } ?? []
  }

  @Test func `The seed decides the order of an actor's tasks`() {
    let orders = (1...20).map { order(seed: $0) }
    #expect(orders.allSatisfy { $0.sorted() == Array(0..<8) }, "\(orders)")
    #expect(Set(orders).count > 10)
    #expect(order(seed: 5) == orders[4])
  }

  @Test func `A task may outlive several commands and finishes`() {
    let lives = (1...40).map { (seed: UInt64) in
      let executor = SeededExecutor(seed: seed)
      let notes = Notes(on: executor)
      _ = executor.run(.seeded) { await notes.start(1) }
      return (0...20).first { _ in
        defer { executor.endCommand() }
        return executor.run(.newestFirst) { await notes.order } == [0]
      }
    }
    #expect(!lives.contains(nil) && lives.contains(0) && lives.contains { $0 ?? 0 > 5 }, "\(lives)")
  }

  @Test func `Work on other threads is awaited and counted`() {
    let executor = SeededExecutor(seed: 1)
    let elsewhere = Elsewhere()
    let answer = executor.run(.seeded) { await elsewhere.value() }
    #expect(answer == 7)
    #expect(executor.foreignJobCount > 0)
  }

  /// An actor on another thread: its caller always continues by a job that this thread enqueues.
  private actor Elsewhere {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    func value() -> Int { 7 }
  }

  private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "elsewhere")
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  @Test func `Tasks without an executor stay on the plan's thread`() {
    let executor = SeededExecutor(seed: 1)
    let answer = executor.run(.seeded) {
      await Task.detached { await Task { await Plain().value() }.value }.value
    }
    #expect(answer == 7)
    #expect(executor.foreignJobCount == 0)
  }

  private actor Plain {
    func value() -> Int { 7 }
  }

  @Test func `A command rethrows its closure's error`() throws {
    struct Wrong: Error, Equatable {}
    let executor = SeededExecutor(seed: 1)
    #expect(try executor.run { await Task { 7 }.value } == 7)
    #expect(throws: Wrong()) { try executor.run { throw Wrong() } }
  }

  @Test func `A command that never ends is abandoned`() {
    let executor = SeededExecutor(seed: 1, waitMax: 0.01)
    let answer: Int? = executor.run(.seeded) { await withUnsafeContinuation { _ in } }
    #expect(answer == nil)
  }
}
