import Systems
import Traces

extension Simulator {
  /// The state of a run between two commands, with the system's snapshot if it supports them.
  struct Standing {
    fileprivate let life: ActorLife
    fileprivate let post: SignalPost?
    fileprivate let log: EventLog
    fileprivate let now: Double
    /// The system's snapshot, or `nil` if the commands must be performed again.
    fileprivate let system: SystemSnapshot?
  }

  /// Returns the state of the run, with the system's snapshot if it is requested and supported.
  ///
  /// - Throws: ``SystemFailure`` when the snapshot fails for another reason than being unsupported.
  func standing(withSystem isWanted: Bool) throws(SystemFailure) -> Standing {
    Standing(
      life: life,
      post: post,
      log: EventLog(after: log),
      now: place.clock.now,
      system: isWanted ? try snapshot() : nil
    )
  }

  private func snapshot() throws(SystemFailure) -> SystemSnapshot? {
    do throws(SystemFailure) { return try system.snapshot() } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }

  /// Restores the state of a run, by performing its commands again if it has no snapshot.
  func goBack(
    to standing: Standing,
    _ header: PlanHeader,
    performing commands: @autoclosure () -> [Command]
  ) throws(SystemFailure) {
    guard let snapshot = standing.system else {
      try open(header) { _ in true }
      for (index, command) in commands().enumerated() {
        step(command, index, in: header) { _ in true }
      }
      log.restart(after: log)
      handed = 0
      return
    }
    (isStopped, isDown, isBeyondRepair) = (false, false, false)
    try system.restore(snapshot)
    place.clock.now = standing.now
    life = standing.life
    post = standing.post
    log.restart(after: standing.log)
    handed = 0
  }

  /// Adds everything on which later events depend.
  func describe(_ state: inout StateSketch) throws(SystemFailure) {
    state.restart(at: place.clock.now)
    try system.describe(&state)
    life.describe(&state)
    post?.describe(&state, tick: log.tick)
  }

  /// The current tick of the scheduler.
  var tick: Int { log.tick }
}
