import Synchronization

/// Shows how far a long piece of work is, on standard error.
///
/// On a terminal it is one line that changes ten times a second at most; elsewhere it is a line of
/// the log each ten seconds, so that short work says nothing. It may be told of progress from any
/// thread.
final class ProgressBar: Sendable {
  private struct State {
    var work: WorkState
    var shownAt: Duration?
  }

  private let terminal: Terminal
  private let start: Duration
  private let state: Mutex<State>

  private static let redrawEvery = Duration.milliseconds(100)
  private static let logEvery = Duration.seconds(10)

  init(_ work: WorkState, on terminal: Terminal) {
    self.terminal = terminal
    self.start = terminal.now()
    state = Mutex(State(work: work))
    if terminal.traits.showsStatus { advance(by: 0) }
  }

  /// Counts more as done, and shows it if it is time to.
  ///
  /// A note says what else is worth seeing; without one the last stays.
  func advance(by count: Int = 1, note: String? = nil) {
    state.withLock { state in
      state.work.done += count
      if let note { state.work.note = note }
      state.work.elapsed = terminal.now() - start
      guard isDue(state) else { return }
      state.shownAt = state.work.elapsed
      show(state.work)
    }
  }

  /// Takes the line away; what was done stays counted.
  func finish() { terminal.setStatus(nil) }

  private func isDue(_ state: State) -> Bool {
    let elapsed = state.work.elapsed
    guard terminal.traits.showsStatus else {
      return elapsed - (state.shownAt ?? .zero) >= Self.logEvery
    }
    return state.shownAt.map { elapsed - $0 >= Self.redrawEvery } ?? true
  }

  private func show(_ work: WorkState) {
    if terminal.traits.showsStatus {
      terminal.setStatus(work.bar(width: terminal.traits.statusWidth))
    } else {
      terminal.log(work.line)
    }
  }
}
