package import Traces

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
  /// The shares of changes that insert, update and delete, in per cent.
  package var operationShares = [19, 78, 3]
  /// The share of writes that name no author.
  package var absentAuthorShare = 0.1
  /// The pauses between transactions in seconds, at equal steps of their quantiles.
  package var gaps: [Double] = [0.01, 0.1, 1, 5, 10, 60, 600, 3600]
  /// What the system under test can be asked to do besides writing and passing.
  package var actions: Set<PlanAction> = Set(PlanAction.allCases)
  /// How plans choose whose step comes next.
  package var schedule = PlanSchedule.random
  /// The kinds of trouble that a plan may contain.
  package var conditions = Condition.everyday
  /// Whether actors may have several contexts.
  package var hasContexts = true
  /// Whether actors may fetch few transactions at a time.
  package var hasPages = true
  /// Whether actors may have observers and merge hooks.
  package var hasHooks = true
  /// Whether trackers may be driven in two ways.
  package var hasDrivers = false
  /// Whether writes may say how conflicts end.
  package var hasPolicies = true
  /// The members, authors and limits of every plan, if they are not drawn.
  package var setup: PlanSetup?

  package init() {}

  /// The style of plans that resemble real histories.
  ///
  /// Shares become whole per cents, at least one: what is rare in a store must still be met in a plan.
  package init(_ profile: WorkloadProfile) {
    averageChangeCount = max(1, profile.meanChangesPerTransaction)
    changeCountMax = min(max(profile.mostChangesPerTransaction, 2), Self.changeCountLimit)
    let operations = profile.operations
    operationShares = [operations.insert, operations.update, operations.delete].map(Self.perCent)
    absentAuthorShare = profile.withoutAuthor
    actorCounts = 1...min(max(profile.authors.count, 2), Self.actorCountLimit)
    gaps = profile.gaps(16)
  }

  /// The greatest transactions of real stores would fill a plan: they are cut to this size.
  private static let changeCountLimit = 32
  /// Four actors meet in every way that matters; `--actors` asks for more.
  private static let actorCountLimit = 4

  private static func perCent(_ share: Double) -> Int { max(1, Int((share * 100).rounded())) }
}
