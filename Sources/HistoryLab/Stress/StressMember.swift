import Foundation
import PersistentHistory
import Traces

/// An actor of a stress run through all of its lives.
final class StressMember {
  let id: ActorID
  /// Whether it joins and retires while others write.
  let isGuest: Bool
  /// Its present life, if it has one.
  var child: StressChild?
  /// What its present or last life was told.
  var role: StressRole?
  /// What it is doing.
  var state = State.away
  /// The traces of its lives so far.
  private(set) var trackerLives: [TraceLife] = []
  private(set) var writerLives: [TraceLife] = []
  /// The last transaction that it is known to have written.
  var lastNumber: Int64 = 0
  /// When its next life is due.
  var restartsAt = ContinuousClock.now
  /// When it goes on, if it was stopped.
  var stopsUntil: ContinuousClock.Instant?
  /// When it is killed if it has not come to the place.
  var diesAt: ContinuousClock.Instant?
  /// When its present life began.
  private(set) var startedAt = ContinuousClock.now
  /// Where it was told to die.
  var place: StressPlace?
  /// Whether what it was told last is done.
  var isDone = false
  /// What nobody expected of it.
  var trouble: String?

  /// What an actor is doing.
  enum State: Hashable, Sendable {
    /// It has no process, and no membership.
    case away
    /// Its process was killed, and the next one is due.
    case dead
    /// Its process was started and has not said that it follows the store.
    case starting
    case running
    /// It was killed, and nobody has seen yet that it is gone.
    case dying
    /// It was told to retire.
    case retiring
    /// It was told to end.
    case ending
  }

  init(_ id: ActorID, isGuest: Bool = false) {
    self.id = id
    self.isGuest = isGuest
  }

  /// How many lives it has had.
  var lifeCount: Int { trackerLives.count }

  /// Begins a life.
  func begin(_ child: StressChild, _ role: StressRole) {
    self.child = child
    self.role = role
    state = .starting
    startedAt = .now
    forgetDeath()
    trackerLives.append(TraceLife(path: role.trackerTrace))
    writerLives.append(TraceLife(path: role.writerTrace))
  }

  /// Kills its process.
  func kill() {
    state = .dying
    diesAt = nil
    child?.kill()
  }

  /// Ends a life that was killed.
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
