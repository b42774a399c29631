import HistoryStore
import HistoryTypes
import Testing

@testable import HistoryTracking

@Suite struct `The decisions of a tracker that follows signals` {
  private let temporary = HistoryError.hookFailed("a hook", why: "it failed")
  private let permanent = HistoryError.insideHook("app")

  @Test func `It follows after a launch, or after a failure that may go away`() {
    #expect(Following(afterLaunch: nil, isLaunched: true)?.next == .wait)
    #expect(Following(afterLaunch: nil, isLaunched: false) == nil)
    #expect(Following(afterLaunch: temporary, isLaunched: false) == nil)
    #expect(Following(afterLaunch: permanent, isLaunched: true) == nil)
    #expect(
      Following(afterLaunch: temporary, isLaunched: true)?.next == .pause(.milliseconds(50))
    )
  }

  @Test func `A signal leads to a pass only if it announces something new`() throws {
    var following = try #require(Following(afterLaunch: nil, isLaunched: true))
    following.signalled(isNews: false)
    #expect(following.next == .wait)
    following.signalled(isNews: true)
    #expect(following.next == .pass)
    following.passed(nil)
    #expect(following.next == .wait)
    following.signalled(isNews: true)
    following.passed(permanent)
    #expect(following.next == .wait)
  }

  @Test func `Pauses double up to half a minute, and start again after a successful pass`() throws {
    var following = try #require(Following(afterLaunch: nil, isLaunched: true))
    var pauses: [Duration] = []
    for _ in 1...12 {
      following.passed(temporary)
      guard case .pause(let pause) = following.next else {
        Issue.record("no pause after a failure")
        return
      }
      pauses.append(pause)
      following.paused()
      #expect(following.next == .pass)
    }
    #expect(
      pauses.prefix(4) == [
        .milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400),
      ]
    )
    #expect(pauses.suffix(2) == [.seconds(30), .seconds(30)])
    following.passed(nil)
    following.passed(temporary)
    #expect(following.next == .pause(.milliseconds(50)))
  }
}
