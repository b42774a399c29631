import Systems
import Traces

extension Simulator {
  /// Where a run stands between two commands, the system included if it can be put back.
  struct Standing {
    fileprivate let life: ActorLife
    fileprivate let post: SignalPost?
    fileprivate let log: EventLog
    fileprivate let now: Double
    /// Nothing when the commands must be performed again.
    fileprivate let system: SystemSnapshot?
  }

  /// Where the run stands; with the system if that is wanted and it can be put back.
  ///
  /// - Throws: ``SystemFailure`` when the system fails otherwise than by not being able to.
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

  /// Goes back to where a run stood, by performing its commands again if there is no other way.
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

  /// Adds everything that decides what comes next.
  func describe(_ state: inout StateSketch) throws(SystemFailure) {
    state.restart(at: place.clock.now)
    try system.describe(&state)
    life.describe(&state)
    post?.describe(&state, tick: log.tick)
  }

  /// The scheduler's step.
  var tick: Int { log.tick }
}
