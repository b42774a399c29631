import LabFixtures
import Testing

@testable import Commands

@Suite struct `Progress` {
  private func state(
    done: Int,
    of total: Int?,
    after elapsed: Duration,
    limit: Duration? = nil,
    note: String = ""
  ) -> WorkState {
    var state = WorkState("check", unit: "plans", total: total, limit: limit)
    state.done = done
    state.elapsed = elapsed
    state.note = note
    return state
  }

  @Test func `A bar shows share, counts, rate, note and time left`() {
    let state = state(done: 1500, of: 2000, after: .seconds(3), note: "1 failing")
    #expect(
      state.bar(width: 90)
        == "check  [######################........]  1,500/2,000 plans  500/s  1 failing  1 s left"
    )
  }

  @Test func `A narrow terminal gets a shorter bar, or none`() {
    let state = state(done: 1500, of: 2000, after: .seconds(3))
    #expect(state.bar(width: 60) == "check  [##########....]  1,500/2,000 plans  500/s  1 s left")
    #expect(state.bar(width: 30) == "check  1,500/2,000 plans  500")
    for width in 1...120 { #expect(state.bar(width: width).count < max(width, 1)) }
  }

  @Test func `A log line has the same content in words`() {
    let state = state(done: 3, of: 40, after: .seconds(10))
    #expect(state.line == "check: 3/40 plans, 0.3/s, 2 min 4 s left")
  }

  @Test func `Without a total a count and a rate are shown`() {
    let state = state(done: 30, of: nil, after: .seconds(10))
    #expect(state.fraction == nil)
    #expect(state.bar(width: 80) == "check  30 plans  3.0/s")
  }

  @Test func `A time limit determines the progress if it ends first`() {
    let state = state(done: 10, of: 1000, after: .seconds(30), limit: .seconds(60))
    #expect(state.fraction == 0.5)
    #expect(state.left == .seconds(30))
  }

  @Test func `Without progress no time left is shown`() {
    #expect(state(done: 0, of: 10, after: .seconds(9)).rate == nil)
    #expect(state(done: 9, of: 10, after: .milliseconds(499)).rate == nil)
    let state = state(done: 0, of: 10, after: .zero)
    #expect(state.rate == nil)
    #expect(state.left == nil)
    #expect(state.fraction == 0)
    #expect(state.line == "check: 0/10 plans")
  }

  @Test func `Empty and exceeded totals stay within bounds`() {
    #expect(state(done: 0, of: 0, after: .zero).fraction == 1)
    let over = state(done: 12, of: 10, after: .seconds(70), limit: .seconds(60))
    #expect(over.fraction == 1)
    #expect(over.left == .zero)
  }

  @Test(arguments: [
    (Duration.zero, "0 s"), (.milliseconds(1), "1 s"), (.seconds(59), "59 s"),
    (.milliseconds(59_001), "1 min 0 s"), (.seconds(3599), "59 min 59 s"),
    (.seconds(7500), "2 h 5 min"), (.seconds(100_000), "1 d 3 h"),
  ])
  func `Times are rounded up to two units`(time: Duration, text: String) {
    #expect(time.roughly == text)
  }

  @Test func `On a terminal the bar is drawn ten times a second at most`() {
    let kept = TestTerminal(Terminal.Traits(showsStatus: true))
    let bar = ProgressBar(WorkState("check", unit: "plans", total: 1000), on: kept.terminal)
    for _ in 0..<1000 {
      kept.clock.move(by: .milliseconds(1))
      bar.advance()
    }
    bar.finish()
    #expect(kept.errors.text.components(of: "\r") == 12)
    #expect(kept.errors.text.hasSuffix("1,000/1,000 plans  1,000/s  0 s left\r\u{1B}[K"))
  }

  @Test func `Without a terminal a line is logged every ten seconds, and none for short work`() {
    let kept = TestTerminal()
    let bar = ProgressBar(WorkState("check", unit: "plans", total: 100), on: kept.terminal)
    for _ in 0..<25 {
      kept.clock.move(by: .seconds(1))
      bar.advance(by: 2, note: "none failing")
    }
    bar.finish()
    #expect(
      kept.errors.text == """
        check: 20/100 plans, 2.0/s, none failing, 40 s left
        check: 40/100 plans, 2.0/s, none failing, 30 s left

        """
    )
  }
}

extension String {
  fileprivate func components(of character: Character) -> Int {
    count { $0 == character }
  }
}
