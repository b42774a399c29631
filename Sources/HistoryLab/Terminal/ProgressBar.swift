import Synchronization

/// A progress display for long work, on standard error.
///
/// On a terminal it is one line that is redrawn at most ten times a second. Elsewhere it is one log
/// line every ten seconds, so that short work logs nothing. It is safe to use from any thread.
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

  /// Adds to the completed count, and updates the display if that is due.
  ///
  /// A note adds further information; `nil` keeps the previous one.
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

  /// Clears the status line.
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
