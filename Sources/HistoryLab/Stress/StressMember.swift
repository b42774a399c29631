import Foundation
import PersistentHistory
import Traces

/// An actor of a stress run across all of its lives.
final class StressMember {
  let id: ActorID
  /// Whether the actor joins and retires while others write.
  let isGuest: Bool
  /// The process of the present life; `nil` between lives.
  var child: StressChild?
  /// The role of the present or last life.
  var role: StressRole?
  var state = State.away
  /// The tracker traces of all lives so far; `writerLives` has the traces of the writes.
  private(set) var trackerLives: [TraceLife] = []
  private(set) var writerLives: [TraceLife] = []
  /// The number of the last transaction that the actor is known to have written.
  var lastNumber: Int64 = 0
  /// The time at which the next life is due.
  var restartsAt = ContinuousClock.now
  /// The time at which a stopped process continues; `nil` if it is not stopped.
  var stopsUntil: ContinuousClock.Instant?
  /// The time at which the process is killed if it has not died at `place` by then.
  var diesAt: ContinuousClock.Instant?
  /// The start of the present life.
  private(set) var startedAt = ContinuousClock.now
  /// The place where the process was ordered to die.
  var place: StressPlace?
  /// Whether the last order is done.
  var isDone = false
  /// A clause about unexpected behaviour; `nil` if there was none.
  var trouble: String?

  /// The state of an actor.
  enum State: Hashable, Sendable {
    /// It has neither a process nor a membership.
    case away
    /// Its process is gone, and the next life is due.
    case dead
    /// Its process was started and has not yet reported that it follows the store.
    case starting
    case running
    /// Its process was killed, and the run has not yet seen it end.
    case dying
    /// It was ordered to retire.
    case retiring
    /// It was ordered to end.
    case ending
  }

  init(_ id: ActorID, isGuest: Bool = false) {
    self.id = id
    self.isGuest = isGuest
  }

  /// The number of lives so far.
  var lifeCount: Int { trackerLives.count }

  /// Starts a life.
  func begin(_ child: StressChild, _ role: StressRole) {
    self.child = child
    self.role = role
    state = .starting
    startedAt = .now
    forgetDeath()
    trackerLives.append(TraceLife(path: role.trackerTrace))
    writerLives.append(TraceLife(path: role.writerTrace))
  }

  /// Kills the process.
  func kill() {
    state = .dying
    diesAt = nil
    child?.kill()
  }

  /// Ends a life, with the outcome of its last write.
  func end(at moment: Int64, _ settlement: TraceLife.Settlement) {
    guard !trackerLives.isEmpty else { return }
    trackerLives[trackerLives.count - 1].diedAt = moment
    writerLives[writerLives.count - 1].diedAt = moment
    writerLives[writerLives.count - 1].settlement = settlement
    child = nil
    forgetDeath()
  }

  private func forgetDeath() {
    place = nil
    diesAt = nil
    stopsUntil = nil
  }
}
