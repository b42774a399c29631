package import Systems
package import Traces
package import Workloads

/// A system that counts the jobs that other threads enqueue on its executor.
package protocol JobCounting {
  var foreignJobCount: Int { get }
}

extension SystemAdapter: JobCounting {}

/// A system under test: its name, its capabilities and the closure that creates it.
package struct Subject: Sendable {
  package var name: String
  package let capabilities: Set<Capability>
  package let timestamps: TimestampPolicy
  package let canRetire: Bool
  /// Whether plans may limit the number of transactions per fetch.
  package let hasPages: Bool
  /// Whether the system has tasks whose order depends on the seed of the plan.
  package let hasSchedules: Bool
  package let make: @Sendable () -> any SystemUnderTest

  package init<Log: HistoryLog>(log: Log.Type) {
    name = "\(log)"
    capabilities = LogSystem<Log>.abilities
    timestamps = .monotone
    canRetire = true
    hasPages = true
    hasSchedules = false
    make = { LogSystem<Log>() }
  }

  package init<System: HistorySystem>(
    _ make: @escaping @Sendable (HistoryEnvironment) async throws -> System
  ) {
    name = "\(System.self)"
    capabilities = System.abilities
    timestamps = .wallClock
    canRetire = System.self is any RetiringSystem.Type
    hasPages = false
    hasSchedules = true
    self.make = { SystemAdapter(make) }
  }

  /// The conditions that a check uses if its caller passes none.
  package var defaultConditions: [HistoryCondition] {
    [.crash, .restart, .lateJoin].filter { lack(for: $0) == nil }
  }

  /// Returns the name of the protocol that a condition requires and to which the system does not
  /// conform.
  ///
  /// The result is `nil` if the system supports the condition.
  package func lack(for condition: HistoryCondition) -> String? {
    switch condition.known {
    case .ties, .clockBack, .clockJump, .pause:
      capabilities.contains(.clock) ? nil : "ClockedSystem"
    case .crash: capabilities.contains(.crash) ? nil : "CrashingSystem"
    default: nil
    }
  }

  /// Returns the parameters with which plans are generated for the given conditions.
  package func style(_ conditions: [HistoryCondition]) -> PlanStyle {
    var style = PlanStyle()
    style.conditions = Set(conditions.compactMap(\.known))
    (style.hasContexts, style.hasHooks, style.hasPolicies) = (false, false, false)
    style.hasPages = hasPages
    style.actions = actions
    return style
  }

  /// The kinds of commands that the system supports.
  package var actions: Set<PlanAction> {
    Set(PlanAction.allCases).filter { action in
      switch action {
      case .fetch, .merge, .record: capabilities.contains(.steps)
      case .purge: capabilities.contains(.purge)
      case .resync: capabilities.contains(.resync)
      case .retire: canRetire
      case .poll, .belated, .suspend, .resume, .relatedBatch: false
      default: true
      }
    }
  }
}
