internal import Foundation
internal import Synchronization

/// A thread of its own for work that blocks, so that no thread of Swift's pool does.
enum OwnThread {
  /// Runs a closure on a new thread, and returns its result.
  static func run<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      // Generators recurse, and secondary threads have a stack of half a megabyte by default.
      thread.stackSize = 16 << 20
      thread.start()
    }
  }
}

/// A flag that another thread sets once.
final class CancelFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
