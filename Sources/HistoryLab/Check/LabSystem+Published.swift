import Systems
import Traces
import Workloads

extension LabSystem {
  /// The systems that other people have published, each with the rules that they document for apps.
  static let published = [
    LabSystem(.article, .article),
    LabSystem(.articleEager, .article),
    LabSystem(.sevenDayPurge, .sevenDays),
    LabSystem(.kit10, .kit1),
    LabSystem(.kit10Manual, .kit1Manual),
    LabSystem(.kit13, .kit1),
    LabSystem(.kit13Manual, .kit1Manual),
    LabSystem(.kit2, .kit2),
    LabSystem(.kit2Manual, .kit2Manual),
    LabSystem(.kit2Readme, .kit2Readme),
  ]

  /// Creates a system that runs a design: a tracking protocol, described as a value.
  ///
  /// As in Core Data, the timestamp of a transaction is the clock's value at that time, so
  /// timestamps may be equal or go back. For a design that was read from a file, `name` is the
  /// file's path; the default is the design's name. `use` has the rules that the design's authors
  /// document for apps, if any.
  init(_ design: TrackingDesign, name: String? = nil, _ use: StatedUse?) {
    self.init(
      name: name ?? design.name,
      sentence: design.sentence,
      timestamps: .wallClock,
      capabilities: design.capabilities,
      statedUse: use,
      knows: TrackingDesign.knows(strategy:),
      strategyWords: TrackingDesign.strategyWords,
      design: design,
      make: { PublishedSystem(design) }
    )
  }
}

extension StatedUse {
  /// Conditions that break rules of both the 2021 article and PersistentHistoryTrackingKit.
  ///
  /// The article proposes the history manager that ``TrackingDesign/article`` models. The values
  /// are the broken rules, mainly about authors of transactions. `backgroundWrites` is missing,
  /// because the article and PersistentHistoryTrackingKit have different rules about it.
  private static let authors: [Condition: String] = [
    .sameAuthorTwice: "each process must have its own author",
    .sameActorTwice: "each process must have its own author",
    .absentAuthor: "every context must name its author",
    .configSkew: "all processes must list the same authors and share one defaults suite",
  ]

  /// Conditions that break the documented rules of every version of PersistentHistoryTrackingKit.
  ///
  /// They are background writes, and the conditions in ``authors``.
  private static let kitAuthors = authors.merging([
    .backgroundWrites: "background and batch work must have its own authors"
  ]) { $1 }

  private static func merging(_ some: [Condition: String]) -> [Condition: String] {
    kitAuthors.merging(some) { $1 }
  }

  /// The rules for apps in the 2021 article that ``TrackingDesign/article`` models.
  fileprivate static let article = StatedUse(
    sentence: "App and extensions use different authors, one process per author, and keep dates in "
      + "the app group's suite; batch work runs in a context named batchContext.",
    outside: authors.merging([
      .backgroundWrites: "own work is merged only from the context named batchContext"
    ]) { $1 }
  )

  /// The rules for apps that purge after seven days, from Apple's pages on consuming store changes.
  fileprivate static let sevenDays = StatedUse(
    sentence: "Every process runs and merges at least once in seven days.",
    outside: [
      .pause: "every process must run at least once in seven days",
      .clockJump: "the clock must be right",
      .sameAuthorTwice: "each process must have its own author",
      .sameActorTwice: "each process must have its own author",
      .backgroundWrites: "the process must not need to merge work of its own author",
    ]
  )

  /// The rules for apps in the README of PersistentHistoryTrackingKit 1, if the kit itself purges.
  fileprivate static let kit1 = StatedUse(
    sentence: "App and extensions use different authors, one process per author, and keep dates in "
      + "the app group's suite; with CloudKit only under a purge strategy by days.",
    outside: merging([
      .mirrorLag: "with CloudKit, seven days must pass between two cleanings"
    ])
  )

  /// The rules for apps in the README of PersistentHistoryTrackingKit 1, if the app decides when to
  /// purge.
  fileprivate static let kit1Manual = StatedUse(
    sentence: "App and extensions use different authors, one process per author, and keep dates in "
      + "the app group's suite; the app decides when the cleaner runs.",
    outside: kitAuthors
  )

  /// The rules for apps in the README and guides of PersistentHistoryTrackingKit 2, if the kit
  /// itself purges.
  fileprivate static let kit2 = StatedUse(
    sentence: "App and extensions use different authors, one process per author, and keep dates in "
      + "the app group's suite; with CloudKit only under a purge strategy by days.",
    outside: merging([
      .mirrorLag:
        "with CloudKit, days must pass between two cleanings, and imports must not be merged"
    ])
  )

  /// The rules for apps in the README and guides of PersistentHistoryTrackingKit 2, if the app
  /// decides when to purge.
  fileprivate static let kit2Manual = StatedUse(
    sentence: "App and extensions use different authors, one process per author, and keep dates in "
      + "the app group's suite; the app decides when the cleaner runs.",
    outside: merging([.mirrorLag: "CloudKit's imports must not be merged"])
  )

  /// The rules for apps that copy the quick start in the README of PersistentHistoryTrackingKit 2.
  fileprivate static let kit2Readme = StatedUse(
    sentence: "One app that lists itself, a widget and a share extension, with dates in its own "
      + "defaults, cleaning at most once in seven days.",
    outside: kitAuthors
  )
}

/// The rules that the authors of a published system document for apps that use the system.
///
/// Reports call this the stated use, and mark violations under conditions that break the rules.
struct StatedUse: Hashable, Sendable {
  /// The rules that an app with the published system must follow, in a sentence.
  let sentence: String
  /// The conditions under which plans break these rules, such as pauses, each with the broken rule.
  let outside: [Condition: String]

  /// Returns whether plans under a condition, such as pauses, follow all rules for apps.
  func covers(_ condition: Condition) -> Bool { outside[condition] == nil }
}

extension Condition {
  /// The capability that a system needs to run plans under this condition, such as pauses.
  ///
  /// `nil` if every system can run them.
  var need: Capability? {
    switch self {
    case .ties, .clockBack, .clockJump, .pause: .clock
    case .stampBeforeCommit: .begin
    case .crash: .crash
    case .lostNotification: .signals
    case .sameActorTwice: .twice
    case .suspension: .suspend
    case .backgroundWrites: .batch
    case .absentAuthor: .nullAuthor
    case .configSkew: .config
    case .mirrorLag: .consume
    case .hookFailure: .hooks
    case .retention: .retention
    case .powerOff: .powerOff
    case .callFailure: .faults
    case .foreignWriter: .plainSQL
    case .modelSkew: .models
    case .relations: .relations
    case .steady, .restart, .sameAuthorTwice, .lateJoin: nil
    }
  }
}

extension LabSystem {
  /// The conditions for which the system has the needed capability, or which need no capability.
  var conditions: Set<Condition> {
    Set(Condition.allCases).filter { $0.need.map(capabilities.contains) ?? true }
  }

  /// The kinds of commands that the system supports.
  var actions: Set<PlanAction> {
    let steps: Set<PlanAction> = [.fetch, .merge, .record]
    return Set(PlanAction.allCases).subtracting(excludedActions).filter { action in
      switch action {
      case .purge: capabilities.contains(.purge)
      case .poll: capabilities.contains(.poll)
      case .resync: capabilities.contains(.resync)
      case .belated: capabilities.contains(.belated)
      case .suspend, .resume: capabilities.contains(.suspend)
      default: capabilities.contains(.steps) || !steps.contains(action)
      }
    }
  }
}
