import HistoryStore
import HistoryTypes
import Traces

/// The configuration of a planned actor's manager.
struct PublishedSetup {
  /// The manager's author; every manager needs one, whatever its contexts name.
  let author: String
  /// The filter of a fetch; `nil` fetches everything.
  let filter: HistoryFilter?
  /// The purge after a pass.
  let cleaningAfterPass: Cleaning
  /// The purge by command; `nil` if the manager has no manual cleaner.
  let cleaningByCommand: Cleaning?
  /// The owner of the defaults store with the dates; `nil` for the app group's store.
  let owner: ActorID?
  let strategy: CleanStrategy
  let hooks: [PlannedHook]

  /// The extent of a purge, and the authors that it waits for.
  struct Cleaning {
    let bound: PurgeBound
    /// The authors whose dates are read.
    let waitsFor: Set<String>
    /// The authors whose transactions are deleted; `nil` for all authors.
    let deletes: [String]?
  }

  /// Creates the setup of an actor from its own settings, or else from the plan's.
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
      // The article has no rule for authors that only write.
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

  /// Returns whether the actor merges a mirror's imports.
  ///
  /// This requires rules that support a mirror, a plan that has one, and an actor that does not
  /// ignore it.
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
      throw SystemFailure(
        .failed,
        "\(actor.id)'s manager does not support the purge strategy \"\(word)\"."
      )
    }
    return strategy
  }
}

/// The defaults stores where the published systems keep one date per author.
///
/// They outlive every process.
struct CursorDefaults {
  /// The dates by author, for each owner: an actor's own store, or `nil` for the app group's store.
  private var dates: [ActorID?: [String: Date]] = [:]

  /// Returns the dates in an actor's own store, or in the app group's store if `owner` is `nil`.
  func dates(of owner: ActorID?) -> [String: Date] { dates[owner] ?? [:] }

  /// Stores an author's date.
  mutating func set(_ date: Date, of author: String, for owner: ActorID?) {
    dates[owner, default: [:]][author] = date
  }

  /// Removes all dates of one store.
  mutating func removeAll(of owner: ActorID?) { dates[owner] = nil }

  /// Adds each date to the section of the store's owner, or else of the actor with that author.
  func describe(_ state: inout StateSketch) {
    for (owner, known) in dates.sorted(by: { ($0.key?.name ?? "") < ($1.key?.name ?? "") }) {
      for (author, date) in known.sorted(by: { $0.key < $1.key }) {
        if let owner {
          state.enter(owner)
          state.add(author: author)
        } else {
          state.enter(author: author)
        }
        state.add(time: date.timeIntervalSinceReferenceDate)
      }
    }
    state.enter(nil)
  }
}
