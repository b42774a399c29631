import Foundation
import Synchronization

/// Controls the writer of a process from any thread: it can continue, pause, or write once.
final class StressPen: Sendable {
  private struct State {
    var goesOn = false
    var hasEnded = false
    var asked: [(isOnce: Bool, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  /// The maximum time that the writer sleeps between two checks for requests.
  private static let lookEvery = Duration.milliseconds(5)

  /// Lets the writer write until it is paused.
  func goOn() { state.withLock { $0.goesOn = true } }

  /// Ends the writer.
  func end() { state.withLock { $0.hasEnded = true } }

  /// Pauses the writer, and waits until it no longer writes.
  func pause() async {
    state.withLock { $0.goesOn = false }
    await withCheckedContinuation { answer in
      state.withLock { $0.asked.append((false, answer)) }
    }
  }

  /// Lets the writer insert once, and waits until it has done so.
  func once() async {
    await withCheckedContinuation { answer in
      state.withLock { $0.asked.append((true, answer)) }
    }
  }

  /// Runs the writer until it is ended.
  @concurrent
  func run(_ writer: consuming StressWriter) async {
    var due = ContinuousClock.now
    while true {
      let (asked, goesOn, hasEnded) = take()
      for (isOnce, answer) in asked {
        if isOnce { writer.insert() }
        answer.resume()
      }
      if hasEnded { return }
      if goesOn, due <= .now {
        writer.write()
        due = .now + .seconds(writer.pause())
      }
      let pause = goesOn ? min(due - .now, Self.lookEvery) : Self.lookEvery
      guard pause > .zero else {
        await Task.yield()
        continue
      }
      do { try await Task.sleep(for: pause) } catch { return }
    }
  }

  private func take() -> ([(isOnce: Bool, CheckedContinuation<Void, Never>)], Bool, Bool) {
    state.withLock { state in
      defer { state.asked = [] }
      return (state.asked, state.goesOn, state.hasEnded)
    }
  }
}
