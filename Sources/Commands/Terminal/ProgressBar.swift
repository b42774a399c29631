import Synchronization

/// The progress of long work, displayed on standard error.
///
/// On a terminal, the progress is one line that is redrawn at most ten times a second. Elsewhere it
/// is a log line every ten seconds, so that short work logs nothing. All methods are thread-safe.
package final class ProgressBar: Sendable {
  private struct State {
    var work: WorkState
    var shownAt: Duration?
  }

  private let terminal: Terminal
  private let start: Duration
  private let state: Mutex<State>

  private static let redrawEvery = Duration.milliseconds(100)
  private static let logEvery = Duration.seconds(10)

  package init(_ work: WorkState, on terminal: Terminal) {
    self.terminal = terminal
    self.start = terminal.now()
    state = Mutex(State(work: work))
    if terminal.traits.showsStatus { advance(by: 0) }
  }

  /// Adds to the completed count, and updates the display if an update is due.
  ///
  /// `note` is shown after the count; `nil` keeps the previous note.
  package func advance(by count: Int = 1, note: String? = nil) {
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
  package func finish() { terminal.setStatus(nil) }

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

/// The counts and times of a long piece of work, from which a progress bar is drawn.
package struct WorkState: Hashable, Sendable {
  /// The name of the work, in a word or two.
  package var title: String
  /// The unit of the completed count, in the plural.
  package var unit: String
  package var done = 0
  /// The expected final count; `nil` if it is unknown.
  package var total: Int?
  package var elapsed: Duration = .zero
  /// The time after which the work ends even if it is incomplete; `nil` for no time limit.
  package var limit: Duration?
  /// Additional text to show, such as the number of failed plans.
  package var note = ""

  package init(_ title: String, unit: String, total: Int? = nil, limit: Duration? = nil) {
    self.title = title
    self.unit = unit
    self.total = total
    self.limit = limit
  }

  /// The completed count per second; `nil` in the first 0.5 s and before the first completion.
  package var rate: Double? {
    let seconds = elapsed / .seconds(1)
    return done > 0 && seconds >= 0.5 ? Double(done) / seconds : nil
  }

  /// The completed share of the count or of the time limit, whichever is larger, from 0 to 1.
  ///
  /// `nil` if the work has neither an expected count nor a time limit.
  package var fraction: Double? {
    let ofTotal = total.map { $0 > 0 ? Double(done) / Double($0) : 1 }
    let ofLimit = limit.map { $0 > .zero ? elapsed / $0 : 1 }
    return [ofTotal, ofLimit].compactMap { $0 }.max().map { min(max($0, 0), 1) }
  }

  /// The estimated remaining time at the current rate, at most the time until ``limit``.
  ///
  /// `nil` if the work has no time limit, and its rate or its total is unknown.
  package var left: Duration? {
    let byLimit = limit.map { max($0 - elapsed, .zero) }
    let byRate = rate.flatMap { rate in
      total.map { Duration.seconds(Double(max($0 - done, 0)) / rate) }
    }
    return [byLimit, byRate].compactMap { $0 }.min()
  }
}

extension WorkState {
  /// Returns a progress bar as one line, shorter than `width` because a terminal may wrap full lines.
  package func bar(width: Int) -> String {
    let facts = [count, rateText, note, leftText].filter { !$0.isEmpty }.joined(separator: "  ")
    let room = width - title.count - facts.count - 7
    guard let fraction, room >= 8 else {
      return String("\(title)  \(facts)".prefix(max(width - 1, 0)))
    }
    let cells = min(room, 30)
    let full = Int(fraction * Double(cells))
    let drawn = String(repeating: "#", count: full) + String(repeating: ".", count: cells - full)
    return "\(title)  [\(drawn)]  \(facts)"
  }

  /// The progress as a line for a log.
  package var line: String {
    let facts = [count, rateText, note, leftText].filter { !$0.isEmpty }
    return "\(title): \(facts.joined(separator: ", "))"
  }

  private var count: String {
    let counted = total.map { "\(done.grouped)/\($0.grouped)" } ?? done.grouped
    return "\(counted) \(unit)"
  }

  private var rateText: String { rate.map { "\(Self.rateText($0))/s" } ?? "" }

  private var leftText: String { left.map { "\($0.roughly) left" } ?? "" }

  /// Formats a rate with zero to two decimals, fewer for larger rates: 1,234, 12.3, 0.12.
  private static func rateText(_ rate: Double) -> String {
    if rate >= 99.95 { return Int(rate.rounded()).grouped }
    let scale = rate >= 9.995 ? 10.0 : 100.0
    return String((rate * scale).rounded() / scale)
  }
}

extension Duration {
  /// The duration in at most two units, such as 4 s, 3 min 20 s, 2 h 5 min or 3 d 4 h.
  ///
  /// The duration is rounded up to whole seconds; smaller units than the two are dropped.
  package var roughly: String {
    let (whole, fraction) = components
    let seconds = Int(whole) + (fraction > 0 ? 1 : 0)
    switch seconds {
    case ..<60: return "\(max(seconds, 0)) s"
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
    case ..<86400: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: return "\(seconds / 86400) d \(seconds % 86400 / 3600) h"
    }
  }
}
