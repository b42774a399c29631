import Foundation
import HistoryStore
import PersistentHistory
import Traces

/// The main phase of a run: processes write and are disturbed.
extension StressSession {
  static let sampleEvery = Duration.milliseconds(50)

  /// Disturbs the writing processes until the time is up or a failure shows.
  func disturb(_ terminal: Terminal) throws {
    let work = WorkState("stress", unit: "transactions", limit: options.duration)
    let bar = ProgressBar(work, on: terminal)
    defer { bar.finish() }
    let clock = ContinuousClock()
    let start = clock.now
    let pauseBetweenWakeUps = min(.seconds(8), options.duration / 3)
    var (sampleAt, wakeUpAt) = (start, start + pauseBetweenWakeUps)
    var seen: Int64 = 0
    while clock.now - start < options.duration, troubles.isEmpty, result.sleepers.isEmpty {
      try attend()
      let now = clock.now
      for deed in nemesis.deeds(at: now) { try act(deed, at: now) }
      if sampleAt <= now {
        sampleAt = now + Self.sampleEvery
        do { seen = try sample(bar, after: seen) } catch  where options.disk != nil { continue }
      }
      if wakeUpAt <= now, options.processes > 1 {
        try wakeUp()
        wakeUpAt = clock.now + pauseBetweenWakeUps
      }
      usleep(2_000)
    }
    result.seconds = (clock.now - start) / .seconds(1)
  }

  /// Measures the length of history and the lag of the slowest member while the processes write.
  ///
  /// - Returns: The number of the newest transaction.
  func sample(_ bar: ProgressBar, after seen: Int64) throws -> Int64 {
    let register = try store.register()
    let head = try store.currentToken().number
    let purged = register.marks.filter { $0.author != nil }.map(\.purged).max() ?? 0
    let held = Int(max(0, head - purged))
    let slowest = register.members.filter { $0.state == 0 }.map(\.cursor).min() ?? head
    result.sampleCount += 1
    result.committed = head
    result.heldMax = max(result.heldMax, held)
    result.lagMax = max(result.lagMax, Int(max(0, head - slowest)))
    let counts = result.counts
    bar.advance(
      by: Int(max(0, head - seen)),
      note: "lag \(Int(max(0, head - slowest)).grouped)  history \(held.grouped)  "
        + "kills \(counts.kills.grouped)"
    )
    return head
  }

  func act(_ deed: StressNemesis.Deed, at now: ContinuousClock.Instant) throws {
    switch deed {
    case .kill(let place, let visit):
      let living = members.filter { member in
        guard member.place == nil, member.diesAt == nil else { return false }
        return member.state == .running || (place == nil && member.state == .starting)
      }
      guard let victim = nemesis.choose(living) else { return }
      guard let place else { return victim.kill() }
      victim.place = place
      victim.diesAt = now + Self.deathTime
      victim.child?.tell(StressOrder(dyingAt: place, visit: visit))
    case .stop(let duration):
      let living = members.filter { $0.state == .running && $0.stopsUntil == nil }
      guard let victim = nemesis.choose(living) else { return }
      victim.stopsUntil = now + duration
      victim.child?.stop()
      result.counts.stops += 1
    case .moveGuest: try moveGuest(at: now)
    }
  }

  /// Lets an absent guest join, or one retire that has run for at least 500 ms.
  func moveGuest(at now: ContinuousClock.Instant) throws {
    let movable = members.filter { member in
      guard member.isGuest, member.diesAt == nil, member.stopsUntil == nil else { return false }
      return member.state == .away
        || (member.state == .running && now - member.startedAt > .milliseconds(500))
    }
    guard let guest = nemesis.choose(movable) else { return }
    if guest.state == .away {
      try join(guest)
    } else {
      guest.state = .retiring
      guest.child?.tell(StressOrder(.retire))
    }
  }

  func join(_ guest: StressMember) throws {
    result.counts.joins += 1
    try start(guest)
  }

  /// Waits until all processes run: stopped ones continue, and scheduled kills happen at once.
  func calm() throws {
    for member in members {
      if member.stopsUntil != nil { member.stopsUntil = .now }
      if member.diesAt != nil { member.diesAt = .now }
    }
    try wait("come back") { $0.state == .running && $0.diesAt == nil }
  }
}
