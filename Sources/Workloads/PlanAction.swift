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

  /// The relative frequency in a plain run.
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

  /// The condition that a plan needs for such a command; `nil` if the header decides.
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

  /// Whether it is a pass or a step of one, which actors driven by signals make by themselves.
  var isStepOfPass: Bool {
    switch self {
    case .pass, .fetch, .merge, .record: true
    default: false
    }
  }
}
