package import Traces

/// The parameters of random plans: the number of actors, the lengths, and the mix of writes.
package struct PlanStyle: Sendable {
  /// The number of actors, from one to eight (default: `1...4`).
  package var actorCounts = 1...4
  /// The maximum number of commands of a plan (default: 40).
  package var commandCountMax = 40
  /// The average number of changes of a write.
  package var averageChangeCount = 2.2
  /// The maximum number of changes of a write.
  package var changeCountMax = 12
  /// The shares of inserts, updates and deletes among changes, in per cent.
  package var operationShares = [19, 78, 3]
  /// The share of writes without an author.
  package var absentAuthorShare = 0.1
  /// The pauses between transactions in seconds, at equal steps of their quantiles.
  package var gaps: [Double] = [0.01, 0.1, 1, 5, 10, 60, 600, 3600]
  /// The actions that the system under test supports, in addition to writes and passes.
  package var actions: Set<PlanAction> = Set(PlanAction.allCases)
  /// The rule by which plans choose the next actor.
  package var schedule = PlanSchedule.random
  /// The conditions that a plan may contain.
  package var conditions = Condition.everyday
  /// Whether actors may have several contexts.
  package var hasContexts = true
  /// Whether actors may have small limits on the transactions per fetch.
  package var hasPages = true
  /// Whether actors may have observers and merge hooks.
  package var hasHooks = true
  /// Whether trackers may be run by either of two drivers.
  package var hasDrivers = false
  /// Whether actors may request history, or purge a part of it, outside of their passes.
  package var hasQueries = false
  /// Whether consumers may read page by page, confirm or not, and start again.
  package var hasReadings = false
  /// Whether writes may name a merge policy for conflicts.
  package var hasPolicies = true
  /// The fixed members, authors and limits of every plan; `nil` if they are drawn.
  package var setup: PlanSetup?

  package init() {}

  /// Creates the style of plans that resemble real histories.
  ///
  /// Shares are rounded to whole per cents, at least one: a change that is rare in a store must
  /// still occur in a plan.
  package init(_ profile: WorkloadProfile) {
    averageChangeCount = max(1, profile.meanChangesPerTransaction)
    changeCountMax = min(max(profile.mostChangesPerTransaction, 2), Self.changeCountLimit)
    let operations = profile.operations
    operationShares = [operations.insert, operations.update, operations.delete].map(Self.perCent)
    absentAuthorShare = profile.withoutAuthor
    actorCounts = 1...min(max(profile.authors.count, 2), Self.actorCountLimit)
    gaps = profile.gaps(16)
  }

  /// The limit on changes: the largest transactions of real stores would fill a plan.
  private static let changeCountLimit = 32
  /// The limit on actors: four cover all interactions that matter; `--actors` allows more.
  private static let actorCountLimit = 4

  private static func perCent(_ share: Double) -> Int { max(1, Int((share * 100).rounded())) }
}
