/// The kinds of commands that a generator chooses from; earlier ones are simpler.
package enum PlanAction: Int, CaseIterable, Sendable {
  case write
  case pass
  case purge
  case fetch
  case merge
  case record
  case launch
  case crash
  case stop
  case batch
  case clock
  case begin
  case commit
  case retire
  case deliver
  case poll
  case consume
  case resync
  case launchTwice
  case belated

  /// How often it is chosen in a plain run, against the others.
  var weight: Int {
    switch self {
    case .write: 36
    case .pass: 12
    case .deliver: 10
    case .fetch, .merge, .record, .belated: 8
    case .purge: 6
    case .launch, .clock, .consume: 5
    case .batch, .commit: 4
    case .crash, .stop, .begin, .poll, .resync, .launchTwice: 2
    case .retire: 1
    }
  }

  /// The condition without which a plan has no such command; others depend on the plan's header.
  var condition: Condition? {
    switch self {
    case .crash: .crash
    case .stop: .restart
    case .begin, .commit: .stampBeforeCommit
    case .batch: .backgroundWrites
    case .launchTwice, .belated: .sameActorTwice
    default: nil
    }
  }

  /// Whether an actor does it by itself once a signal has reached it.
  var isStepOfPass: Bool {
    switch self {
    case .pass, .fetch, .merge, .record: true
    default: false
    }
  }
}
