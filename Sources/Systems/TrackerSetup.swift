import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// The configuration of a planned actor's tracker.
struct TrackerSetup {
  /// The authors whose transactions the tracker does not merge.
  let ignoring: Set<String>
  /// The purge strategy of the tracker after a pass.
  let strategy: PurgeStrategy
  /// The limits beyond which the tracker's purges do not wait for a member.
  let retention: RetentionLimits
  /// The maximum number of transactions per fetch.
  let pageTransactionCountMax: Int
  /// The configuration that the member declares in the registry.
  let declaration: MemberConfiguration
  /// The hooks that the member registers.
  let hooks: [PlannedHook]

  /// Creates the setup of an actor from its own settings, or else from the plan's.
  init(_ actor: PlannedActor, _ header: PlanHeader) throws(SystemFailure) {
    ignoring = Set(actor.ignores ?? [])
    guard let strategy = PurgeStrategy(planned: actor.strategy) else {
      throw SystemFailure(
        .failed,
        "\(actor.id)'s tracker does not support the purge strategy \"\(actor.strategy ?? "")\"."
      )
    }
    self.strategy = strategy
    retention = RetentionLimits(
      age: (header.retention?.age).map(Duration.init(clampedSeconds:)),
      transactionCount: header.retention?.transactions,
      byteCount: header.retention?.bytes
    )
    pageTransactionCountMax = actor.page ?? TrackerConfiguration().pageTransactionCountMax
    hooks = (actor.hooks ?? []).compactMap(PlannedHook.init)
    var declaration = MemberConfiguration()
    declaration.authors = actor.allAuthors.map(Set.init)
    declaration.batchAuthors = actor.batchAuthors.map(Set.init)
    declaration.retention = retention.isOff ? nil : retention
    self.declaration = declaration
  }

  /// Returns the tracker configuration of an actor.
  func configuration(of actor: PlannedActor) -> TrackerConfiguration {
    var configuration = TrackerConfiguration()
    configuration.currentAuthor = actor.author
    configuration.ignoring = ignoring
    configuration.strategy = strategy
    configuration.pageTransactionCountMax = pageTransactionCountMax
    configuration.retention = retention.isOff ? nil : retention
    configuration.allAuthors = declaration.authors ?? []
    configuration.batchAuthors = declaration.batchAuthors ?? []
    configuration.logLevel = nil
    configuration.clock = TrackerClock(now: { .zero }, sleep: { _ in })
    return configuration
  }
}

extension PurgeStrategy {
  /// The strategies that plans can name, in plan syntax, with example numbers.
  package static let plannedWords = [
    "none", "whenMerged", "byNotification/2", "byDuration/60", "whenLargerThan/0.5",
  ]

  /// Parses a plan's strategy; the default is `.whenMerged`, and `nil` means a syntax error.
  package init?(planned word: String?) {
    guard let word else {
      self = .whenMerged
      return
    }
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count == 2 ? Double(parts[1]) : nil) {
    case ("none", nil) where parts.count == 1: self = .none
    case ("whenMerged", nil) where parts.count == 1: self = .whenMerged
    case ("byNotification", let times?) where times >= 1 && times <= 1e6:
      self = .byNotification(times: Int(times))
    case ("byDuration", let seconds?) where seconds >= 0:
      self = .byDuration(Duration(clampedSeconds: seconds))
    case ("whenLargerThan", let share?) where (0...1).contains(share):
      self = .whenLargerThan(share: share)
    default: return nil
    }
  }
}
