import HistoryStore
import PersistentHistory
import Traces

/// How a planned actor's manager is set up.
struct PublishedSetup {
  /// The author that the manager goes by: none of them can do without one, whatever its contexts name.
  let author: String
  /// What a fetch asks for; nothing is everything.
  let filter: HistoryFilter?
  /// What it deletes after a pass.
  let cleaningAfterPass: Cleaning
  /// What its cleaner deletes by command; nothing where it has none.
  let cleaningByCommand: Cleaning?
  /// Whose defaults store the dates lie in; nothing is the app group's.
  let owner: ActorID?
  let strategy: CleanStrategy
  let hooks: [PlannedHook]

  /// What is deleted, and who must have merged before.
  struct Cleaning {
    let bound: PurgeBound
    /// The authors whose dates are looked at.
    let waitsFor: Set<String>
    /// The authors whose transactions go; nothing is everyone.
    let deletes: [String]?
  }

  /// Takes what the plan says of an actor, and of all where it says nothing of that one.
  init(
    _ actor: PlannedActor,
    _ header: PlanHeader,
    _ rules: PublishedProtocol
  ) throws(SystemFailure) {
    author = Self.author(of: actor)
    let batch = actor.batchAuthors ?? header.batchAuthors
    let known = actor.allAuthors ?? header.actors.map(Self.author)
    let listed = Set(known + batch + [rules.idleAuthor].compactMap(\.self))
    let reads = listed.union(Self.readsMirror(actor, header, rules) ? [Self.mirrorAuthor] : [])
    filter = Self.filter(rules.reading, author, reads)
    let mirrored = rules.deleting == .listedAndMirror ? reads : listed
    cleaningAfterPass = Cleaning(
      bound: rules.bound,
      // The article knows nothing of authors that only write.
      waitsFor: rules.forgetsDates ? listed : mirrored.subtracting(batch),
      deletes: rules.deleting == .everything ? nil : mirrored.sorted()
    )
    cleaningByCommand = rules.manualBound.map { bound in
      Cleaning(
        bound: bound,
        waitsFor: listed,
        deletes: rules.deleting == .everything ? nil : listed.sorted()
      )
    }
    owner =
      actor.cursors == "own" || rules.keepsDatesApart && actor.cursors != "shared"
      ? actor.id : nil
    strategy = try Self.strategy(actor, rules)
    hooks = rules.hooks == .never ? [] : (actor.hooks ?? []).compactMap(PlannedHook.init)
  }

  /// The author under which a CloudKit mirror imports (`NSCloudKitMirroringDelegate`).
  static let mirrorAuthor = "NSCloudKitMirroringDelegate.import"

  private static func author(of actor: PlannedActor) -> String { actor.author ?? actor.id.name }

  /// Whether the actor merges what a mirror imports: where the plan has one and the actor does not
  /// opt out of it.
  private static func readsMirror(
    _ actor: PlannedActor,
    _ header: PlanHeader,
    _ rules: PublishedProtocol
  ) -> Bool {
    let hasMirror = header.protectedAuthors.contains { author in
      author == mirrorAuthor || author.hasSuffix("*") && mirrorAuthor.hasPrefix(author.dropLast())
    }
    return rules.mayReadMirror && hasMirror && actor.ignores?.contains(mirrorAuthor) != true
  }

  private static func filter(
    _ reading: PublishedProtocol.Reading,
    _ own: String,
    _ authors: Set<String>
  ) -> HistoryFilter? {
    let others = authors.subtracting([own]).sorted().map { HistoryFilter.author($0) }
    let isListed = authors.contains(own)
    switch reading {
    case .others: return .any(others)
    case .othersOrEverything: return others.isEmpty ? nil : .any(others)
    case .allButOwn: return .not(.author(own))
    case .othersAndOwnBatch:
      let context = HistoryFilter.contextName(PublishedProcess.batchContextName)
      return .any(others + (isListed ? [.all([.author(own), context])] : []))
    }
  }

  private static func strategy(
    _ actor: PlannedActor,
    _ rules: PublishedProtocol
  ) throws(SystemFailure) -> CleanStrategy {
    guard let word = actor.strategy else { return rules.strategy }
    guard let strategy = CleanStrategy(planned: word) else {
      throw SystemFailure(.failed, "\(actor.id)'s manager knows no strategy \"\(word)\".")
    }
    return strategy
  }
}
