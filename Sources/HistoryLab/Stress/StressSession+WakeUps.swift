import Foundation
import HistoryStore
import PersistentHistory
import Traces

/// Single commits after which all other processes must make a pass.
extension StressSession {
  /// The time limit for the passes after a commit.
  ///
  /// With a sound disk it is far shorter than the interval of polls, so that only a signal can meet
  /// it.
  static let wakeUpLimit = Duration.seconds(10)
  static let wakeUpCount = 3

  /// Pauses all writers, lets one process write once, and waits until all others have made a pass.
  ///
  /// It repeats this ``wakeUpCount`` times unless a failure shows.
  func wakeUp() throws {
    try calm()
    isQuiet = true
    try ask(.pause, "pause")
    for _ in 0..<Self.wakeUpCount where troubles.isEmpty && result.sleepers.isEmpty {
      let living = members.filter { $0.state == .running }
      guard let writer = nemesis.choose(living) else { break }
      writer.isDone = false
      writer.child?.tell(StressOrder(.once))
      try wait("write") { $0 !== writer || $0.isDone }
      try waitForPasses(of: living.filter { $0 !== writer }, after: writer)
    }
    isQuiet = false
    for member in members where member.state == .running {
      member.child?.tell(StressOrder(.write))
    }
  }

  func waitForPasses(of others: [StressMember], after writer: StressMember) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let head = try store.currentToken().number
    result.counts.wakeUps += 1
    while true {
      try attend()
      let cursors = try store.register().members.reduce(into: [:]) { $0[$1.id] = $1.cursor }
      let late = others.filter { $0.state == .running && (cursors[$0.id] ?? 0) < head }
      let elapsed = clock.now - start
      if late.isEmpty {
        let ms = Int(elapsed / .milliseconds(1))
        result.counts.wakeUpMsMax = max(result.counts.wakeUpMsMax, ms)
        return
      }
      if elapsed > Self.wakeUpLimit {
        let names = late.map(\.id.name).joinedWithAnd
        result.sleepers.append(
          "\(writer.id) wrote #\(head); \(names) ran and made no pass after it"
        )
        return
      }
      usleep(1_000)
    }
  }
}
