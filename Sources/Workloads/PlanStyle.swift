/// What random plans look like: how many take part, how long plans are, and how writes are spread.
package struct PlanStyle: Sendable {
  /// How many actors take part, from one to eight.
  package var actorCounts = 1...4
  /// The greatest number of commands of a plan.
  package var commandCountMax = 40
  /// The average number of changes of a write.
  package var averageChangeCount = 2.2
  /// The greatest number of changes of a write.
  package var changeCountMax = 12
  /// Of the changes to an object that is there, the share that deletes it.
  package var deleteShare = 0.05
  /// The share of writes that name no author.
  package var absentAuthorShare = 0.1
  /// The pauses between transactions in seconds, at equal steps of their quantiles.
  package var gaps: [Double] = [0.01, 0.1, 1, 5, 10, 60, 600, 3600]
  /// What the system under test can be asked to do besides writing and passing.
  package var actions: Set<PlanAction> = Set(PlanAction.allCases)

  package init() {}
}

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

  /// How often it is chosen in a plain run, against the others.
  var weight: Int {
    switch self {
    case .write: 36
    case .pass: 12
    case .fetch, .merge, .record: 8
    case .purge: 6
    case .launch, .clock: 5
    case .batch: 4
    case .crash, .stop, .begin: 2
    case .commit: 4
    case .retire: 1
    }
  }
}
