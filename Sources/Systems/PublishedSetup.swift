import HistoryStore
import HistoryTypes
import Traces

/// The settings of one actor's history manager, from the plan and the design.
struct PublishedSetup {
  /// The author that the history manager treats as its own.
  ///
  /// The actor's contexts may also write under other authors.
  let author: String
  /// The filter by which a pass fetches transactions; `nil` fetches all.
  let filter: HistoryFilter?
  /// The key under which the process stores its position.
  let key: StoredPositions.Key
  /// The settings of purges after a pass: the authors concerned, and how far to delete.
  let cleaningAfterPass: Cleaning
  /// The settings of purges that a command of the plan requests; `nil` if the design has none.
  let cleaningByCommand: Cleaning?
  /// The actor whose own `UserDefaults` contain the position; `nil` for a place that all processes share.
  let owner: ActorID?
  let strategy: CleanStrategy
  let hooks: [PlannedHook]

  /// The settings of a purge: the authors concerned, and how far to delete.
  struct Cleaning {
    let bound: PurgeBound
    /// The authors whose positions limit a purge.
    ///
    /// ``PublishedManager`` always uses this list. ``PublishedSystem`` ignores the list if the design's
    /// ``Waiting`` is `registered` or `registeredAndConsumers`: the purge then waits for processes, or
    /// for processes and consumers.
    let waitsFor: Set<String>
    /// The age in seconds above which a purge by age deletes transactions.
    let maximumAge: Double
    /// The authors whose transactions a purge deletes.
    ///
    /// The list is unused if the design's ``Deleting`` is `allButProtected` or `everything`.
    let listed: [String]

    /// Returns the point before which a purge at the time `now` deletes; `nil` if it may not delete.
    ///
    /// `positions` are the stored positions, or `nil`, of the authors or processes that the purge
    /// waits for.
    func point(_ positions: [StoredPosition?], _ kind: PositionKind, now: Date) -> PurgePoint? {
      bound.point(positions, kind, now: now, maximumAge: maximumAge)
    }
  }

  /// Creates the setup of an actor.
  ///
  /// Settings that the plan does not give for the actor are taken from the header or the design.
  init(
    _ actor: PlannedActor,
    _ header: PlanHeader,
    _ design: TrackingDesign
  ) throws(SystemFailure) {
    author = Self.author(of: actor)
    key = Self.key(of: actor, design)
    let batch = actor.batchAuthors ?? header.batchAuthors
    let known = actor.allAuthors ?? header.actors.map(Self.author)
    let listed = Set(known + batch + [design.idleAuthor].compactMap(\.self))
    let reads = listed.union(Self.readsMirror(actor, header, design) ? [Self.mirrorAuthor] : [])
    filter = Self.filter(design.reads, author, reads)
    let maximumAge = actor.maximumDuration ?? PurgeBound.maximumAge
    let mirrored = design.deletes == .listedAndMirror ? reads : listed
    cleaningAfterPass = Cleaning(
      bound: design.bound,
      waitsFor: design.waitsFor == .listedReaders ? mirrored.subtracting(batch) : listed,
      maximumAge: maximumAge,
      listed: mirrored.sorted()
    )
    cleaningByCommand = design.boundByCommand.map { bound in
      Cleaning(
        bound: bound,
        waitsFor: listed,
        maximumAge: maximumAge,
        listed: listed.sorted()
      )
    }
    owner = Self.owner(of: actor, design)
    strategy = try Self.strategy(actor, design)
    hooks = design.hooks == .never ? [] : (actor.hooks ?? []).compactMap(PlannedHook.init)
  }

  /// Returns the actor's ID if the actor stores its position in a place of its own; otherwise `nil`.
  static func owner(of actor: PlannedActor, _ design: TrackingDesign) -> ActorID? {
    switch design.positionsIn {
    case .group: actor.cursors == "own" ? actor.id : nil
    case .own: actor.cursors == "shared" ? nil : actor.id
    case .store: nil
    }
  }

  /// Returns the key of an actor's position.
  static func key(of actor: PlannedActor, _ design: TrackingDesign) -> StoredPositions.Key {
    StoredPositions.Key(
      author: author(of: actor),
      process: design.positionOf == .process ? actor.id : nil
    )
  }

  /// The author under which a CloudKit mirror imports (`NSCloudKitMirroringDelegate`).
  static let mirrorAuthor = "NSCloudKitMirroringDelegate.import"

  private static func author(of actor: PlannedActor) -> String { actor.author ?? actor.id.name }

  /// Returns whether the actor fetches and merges the transactions that a CloudKit mirror imports.
  ///
  /// The result is `true` if the design supports a mirror, the plan has a mirror, and the actor does
  /// not ignore the mirror.
  private static func readsMirror(
    _ actor: PlannedActor,
    _ header: PlanHeader,
    _ design: TrackingDesign
  ) -> Bool {
    let hasMirror = header.protectedAuthors.contains { author in
      author == mirrorAuthor || author.hasSuffix("*") && mirrorAuthor.hasPrefix(author.dropLast())
    }
    return design.mirror == .merged && hasMirror && actor.ignores?.contains(mirrorAuthor) != true
  }

  private static func filter(
    _ reading: Reading,
    _ own: String,
    _ authors: Set<String>
  ) -> HistoryFilter? {
    let others = authors.subtracting([own]).sorted().map { HistoryFilter.author($0) }
    let isListed = authors.contains(own)
    switch reading {
    case .others: return .any(others)
    case .othersOrEverything: return others.isEmpty ? nil : .any(others)
    case .allButOwn: return .not(.author(own))
    case .allButOwnView: return .not(.all([.author(own), .contextName("view")]))
    case .everything: return nil
    case .othersAndOwnBatch:
      let context = HistoryFilter.contextName(PublishedProcess.batchContextName)
      return .any(others + (isListed ? [.all([.author(own), context])] : []))
    }
  }

  private static func strategy(
    _ actor: PlannedActor,
    _ design: TrackingDesign
  ) throws(SystemFailure) -> CleanStrategy {
    guard let word = actor.strategy else { return design.strategy }
    guard let strategy = CleanStrategy(planned: word) else {
      throw SystemFailure(
        .failed,
        "\(actor.id) uses the purge strategy \"\(word)\", which this design does not support."
      )
    }
    return strategy
  }
}
