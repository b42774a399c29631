import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// The author under which a CloudKit mirror imports (`NSCloudKitMirroringDelegate`).
  static let mirrorAuthor = "NSCloudKitMirroringDelegate.import"
  /// The pattern of all authors of a CloudKit mirror.
  static let mirrorAuthors = "NSCloudKitMirroringDelegate.*"
  /// An author that only writes and is no member.
  private static let batchAuthor = "batch"

  private static let names = [
    "app", "widget", "share", "sync", "watch", "intents", "safari", "mac",
  ]

  /// Draws the header of a plan.
  ///
  /// If the style has a ``PlanStyle/setup``, the members, authors and limits are taken from the setup.
  func header(_ active: Set<Condition>, _ source: inout ChoiceSource) -> PlanHeader {
    var model = source.bool(probability: 0.15, label: "model") ? PlanModels.full : PlanModels.plain
    // A model with relations has only one version.
    if active.contains(.relations), style.past == nil, !active.contains(.modelSkew) {
      model = PlanModels.related(&source)
    }
    if let setup = style.setup {
      var header = setup.header(model: model)
      header.drive = active.contains(.lostNotification) ? .signals : header.drive
      places(&header, active, &source)
      return header
    }
    var header = PlanHeader(model: model, actors: [])
    if active.contains(.mirrorLag) { mirror(&header, &source) }
    if active.contains(.lostNotification) { header.drive = .signals }
    if active.contains(.retention) { header.retention = retention(&source) }
    let count = actorCount(&source)
    if active.contains(.configSkew), source.bool(probability: 0.3, label: "batch author") {
      header.batchAuthors = [Self.batchAuthor]
    }
    header.actors = Self.names.prefix(count).map { name in
      source.span("actor") { actor(name, of: count, active, header, &$0) }
    }
    places(&header, active, &source)
    if header.hasRelations {
      for index in header.actors.indices {
        header.actors[index].isPartial = source.bool(probability: 0.35, label: "partial")
      }
    }
    if active.contains(.modelSkew), style.past == nil { addVersions(to: &header, &source) }
    return header
  }

  /// Adds a newer version of the model, and draws which actors have the newer version.
  ///
  /// The plans then have no consumers, because a consumer reports only columns of its own model.
  private func addVersions(to header: inout PlanHeader, _ source: inout ChoiceSource) {
    header.model = PlanModels.newer(header.model)
    header.consumers = []
    header.tokens = .store
    for index in header.actors.indices {
      let isNewer = source.bool(probability: 0.5, label: "version")
      header.actors[index].modelVersion = isNewer ? nil : 1
      // The first actor is launched at once, so that every plan has an actor that can write.
      guard isNewer, index > 0, source.bool(probability: 0.6, label: "later") else { continue }
      header.actors[index].launched = false
    }
  }

  /// Sets or draws the store settings for plain SQL, member locks and consumers' tokens.
  ///
  /// The settings belong to the conditions `foreignWriter`, `sameActorTwice` and `powerOff`. Under
  /// `powerOff`, a plan without consumers may also get one.
  private func places(
    _ header: inout PlanHeader,
    _ active: Set<Condition>,
    _ source: inout ChoiceSource
  ) {
    if active.contains(.foreignWriter) { header.foreignWrites = .captured }
    if active.contains(.sameActorTwice), style.actions.contains(.belated),
      source.bool(probability: 0.7, label: "locks")
    {
      header.locks = .none
    }
    guard active.contains(.powerOff) else { return }
    // Only a consumer that keeps its own token can have read transactions that a power-off rolls
    // back.
    if style.setup == nil, header.consumers.isEmpty, source.bool(probability: 0.5, label: "mirror")
    {
      header.consumers = ["mirror"]
    }
    if !header.consumers.isEmpty, source.bool(probability: 0.8, label: "tokens") {
      header.tokens = .own
    }
  }

  private func actorCount(_ source: inout ChoiceSource) -> Int {
    let least = max(1, style.actorCounts.lowerBound)
    let most = max(least, min(style.actorCounts.upperBound, Self.names.count))
    // Only one plan in a few dozen has a single actor, because a single actor always converges.
    return least + source.weighted((least...most).map { $0 == 1 ? 1 : 12 }, label: "actors")
  }

  /// Draws the roles of a CloudKit mirror: purges spare its imports, it reads history, or both.
  private func mirror(_ header: inout PlanHeader, _ source: inout ChoiceSource) {
    switch source.weighted([1, 1, 1], label: "mirror") {
    case 0:
      let isPattern = source.bool(probability: 0.5)
      header.protectedAuthors = [isPattern ? Self.mirrorAuthors : Self.mirrorAuthor]
    case 1: header.consumers = ["mirror"]
    default:
      header.protectedAuthors = [Self.mirrorAuthors]
      header.consumers = ["mirror", "index"]
    }
  }

  /// Draws retention limits that are so low that a plan of a few dozen commands exceeds them.
  private func retention(_ source: inout ChoiceSource) -> PlannedRetention {
    switch source.weighted([3, 2, 1, 1], label: "retention") {
    case 0: PlannedRetention(transactions: 1 + source.weighted([5, 3, 2, 2, 1, 1, 1, 1]))
    case 1: PlannedRetention(age: [10.0, 3_600, 86_400, 604_800][source.index(below: 4)])
    case 2: PlannedRetention(bytes: 200 * (1 + source.index(below: 8)))
    default: PlannedRetention(age: 3_600, transactions: 2 + source.index(below: 8))
    }
  }

  private func actor(
    _ name: String,
    of count: Int,
    _ active: Set<Condition>,
    _ header: PlanHeader,
    _ source: inout ChoiceSource
  ) -> PlannedActor {
    var actor = PlannedActor(ActorID(name), author: name)
    if active.contains(.lateJoin), source.bool(probability: 0.4) { actor.launched = false }
    if active.contains(.sameAuthorTwice), source.bool(probability: 0.4) {
      actor.author = Self.names[0]
    }
    if active.contains(.absentAuthor), source.bool(probability: 0.05) { actor.author = nil }
    configure(&actor, active, &source)
    if active.contains(.configSkew) { skew(&actor, of: count, header, &source) }
    return actor
  }

  /// Draws the tracker settings of an actor.
  ///
  /// Failing hooks occur only if `active` contains the condition `hookFailure`. An actor gets a
  /// second context, next to its view, only if `active` contains `backgroundWrites`.
  private func configure(
    _ actor: inout PlannedActor,
    _ active: Set<Condition>,
    _ source: inout ChoiceSource
  ) {
    if source.bool(probability: 0.2) { actor.strategy = "none" }
    if style.hasPages, source.bool(probability: 0.15) { actor.page = 1 + source.index(below: 3) }
    if style.hasHooks { hook(&actor, active, &source) }
    if style.hasContexts, active.contains(.backgroundWrites), source.bool(probability: 0.15) {
      actor.contexts = 2
    }
  }

  private func hook(
    _ actor: inout PlannedActor,
    _ active: Set<Condition>,
    _ source: inout ChoiceSource
  ) {
    var hooks: [String] = []
    if source.bool(probability: 0.5) { hooks.append(PlannedHook.observer.rawValue) }
    if active.contains(.hookFailure), source.bool(probability: 0.5) {
      hooks.append(PlannedHook.failing[source.index(below: PlannedHook.failing.count)].rawValue)
    }
    if !hooks.isEmpty { actor.hooks = hooks }
  }

  /// Draws settings of an actor that contradict those of other actors, such as its author list.
  private func skew(
    _ actor: inout PlannedActor,
    of count: Int,
    _ header: PlanHeader,
    _ source: inout ChoiceSource
  ) {
    let others = Self.names.prefix(count).filter { $0 != actor.id.name }
    switch source.weighted([4, 2, 2, 1]) {
    case 0: break
    case 1:
      let candidates = others + header.protectedAuthors.filter { !$0.hasSuffix("*") }
      if !candidates.isEmpty { actor.ignores = [candidates[source.index(below: candidates.count)]] }
    case 2:
      let missing = source.index(below: count)
      actor.allAuthors = Self.names.prefix(count).enumerated()
        .filter { $0.offset != missing }.map(\.element)
    default: actor.cursors = "own"
    }
    if !header.batchAuthors.isEmpty, source.bool(probability: 0.3) { actor.batchAuthors = [] }
  }
}
