import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws whether a plan has queries, and inserts them between its commands.
  ///
  /// Queries are drawn after `commands`, so a seed gives the same `commands` with and without them.
  func addQueries(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard hasQueries(draft), source.bool(probability: 0.2, label: "queries") else { return }
    var repetition = Repetition("query", 0...Self.queryCountMax, length: .average(5))
    while repetition.next(&source) {
      let position = source.index(below: commands.count + 1)
      commands.insert(Command(.query(query(draft, &source))), at: position)
    }
  }

  private static let queryCountMax = 16

  /// Whether the plan may have queries; `false` if its model has an older version or relations.
  private func hasQueries(_ draft: PlanDraft) -> Bool {
    style.hasQueries && !draft.header.hasOlderModel && !draft.header.hasRelations
  }

  private func query(_ draft: PlanDraft, _ source: inout ChoiceSource) -> PlannedQuery {
    let actor = draft.header.actors[source.index(below: draft.header.actors.count)]
    let form = PlannedQuery.Form.allCases[
      source.weighted([4, 2, 3, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 6])
    ]
    var query = PlannedQuery(actor: actor.id, form: form, start: start(&source))
    query.page = [1000, 1, 2, 3][source.index(below: 4)]
    if source.bool(probability: 0.3, label: "change limit") {
      query.changeLimit = [1, 2, 3, 7, 30][source.index(below: 5)]
    }
    if form == .find {
      let entities = draft.header.model.entities
      let entity = entities[source.index(below: entities.count)]
      query.entity = entity.name
      query.conditions = PlanPredicates.draw(on: entity, &source)
      return query
    }
    if [.transaction, .sql, .rows, .members].contains(form) { return query }
    var terms = Repetition("term", 0...3, length: .average(1))
    while terms.next(&source) {
      let kind = form == .purge ? source.index(below: 2) : source.index(below: 7)
      query.terms.append(
        QueryTerm(
          subject(kind, draft, &source),
          isNegated: form != .purge && source.bool(probability: 0.25)
        )
      )
    }
    query.matchesAny = form != .purge && query.terms.count > 1 && source.bool(probability: 0.4)
    return query
  }

  private func start(_ source: inout ChoiceSource) -> PlannedQuery.Start {
    switch source.weighted([3, 4, 3]) {
    case 0: .beginning
    case 1: .behind(source.index(below: 8))
    default: .ago([0, 0.01, 1, 10, 600, 3600, 86_400, -5][source.index(below: 8)])
    }
  }

  private func subject(
    _ kind: Int,
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) -> QueryTerm.Subject {
    let header = draft.header
    let entity = header.model.entities[source.index(below: header.model.entities.count)].name
    switch kind {
    case 0:
      let authors: [String?] =
        header.actors.map(\.author) + header.batchAuthors + [nil, Self.mirrorAuthor, "unknown"]
      return .author(authors[source.index(below: authors.count)])
    case 1:
      let contexts: [String?] = [
        "view", "background", "batch", PlannedActor.contextName(1), nil, "unknown",
      ]
      return .context(contexts[source.index(below: contexts.count)])
    case 2: return .entity(entity)
    case 3: return .type([.insert, .update, .delete][source.index(below: 3)])
    case 4: return .object(ObjectName(entity, source.integer(in: 1...4, simplest: 1)))
    case 5: return .newest(source.index(below: 6))
    default: return .recent([0, 0.01, 10, 3600, 86_400][source.index(below: 5)])
    }
  }

  /// Draws whether a plan has requests about objects, tokens, members and the file, and adds them.
  ///
  /// Requests are drawn after `commands`, so a seed gives the same `commands` with and without them.
  func addRequests(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard hasQueries(draft), source.bool(probability: 0.1, label: "requests") else { return }
    var repetition = Repetition("request", 0...Self.requestCountMax, length: .average(5))
    while repetition.next(&source) {
      let position = source.index(below: commands.count + 1)
      let request = request(draft, &source)
      commands.insert(Command(.query(request)), at: position)
      // A second purge follows at once, because a pass in between would change the time of the last
      // purge.
      guard request.form == .due, source.bool(probability: 0.6) else { continue }
      var again = request
      again.start = interval(&source)
      commands.insert(Command(.query(again)), at: position + 1)
    }
  }

  private static let requestCountMax = 16

  /// Draws whether a plan has a request about stores on disk, and adds it.
  ///
  /// A plan has at most one such request, because each takes milliseconds.
  func addDiskRequest(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    var own = Self.ownDiskForms.filter { draft.active.contains($0.condition) }.map(\.form)
    let share = own.isEmpty ? style.diskShare : max(style.diskShare, Self.ownDiskShare)
    guard style.hasQueries, source.bool(probability: share, label: "disk") else { return }
    let actor = draft.header.actors[source.index(below: draft.header.actors.count)]
    var query = PlannedQuery(actor: actor.id, form: .files)
    // Half of the requests are of any kind; otherwise plans with all conditions would lack most kinds.
    if !own.isEmpty, source.bool(probability: 0.5) { own = [] }
    let forms = own.isEmpty ? Self.diskForms : own.map { ($0, 1) }
    query.form = forms[source.weighted(forms.map(\.1))].0
    query.page =
      query.form == .watch
      ? (source.bool(probability: 0.6) ? 1 : 1000) : source.int(in: 1...10_000)
    commands.insert(Command(.query(query)), at: source.index(below: commands.count + 1))
  }

  /// The kinds of requests about stores on disk, with their weights.
  private static let diskForms: [(PlannedQuery.Form, Int)] = [
    (.files, 4), (.watch, 2), (.large, 4), (.purges, 4), (.values, 6), (.damage, 3), (.passes, 3),
    (.models, 3), (.containers, 2), (.foreign, 3), (.suspension, 2), (.lists, 3), (.edits, 4),
    (.orders, 3), (.conflicts, 5), (.aggregates, 3), (.upgrades, 4), (.duplicates, 3), (.edges, 4),
  ]

  /// For some conditions, the kind of request about stores on disk that tests the condition.
  private static let ownDiskForms: [(condition: Condition, form: PlannedQuery.Form)] = [
    (.foreignWriter, .foreign), (.modelSkew, .models), (.relations, .lists),
  ]
  /// The minimum share of plans with a request about stores on disk, under a condition with such
  /// requests of its own (``ownDiskForms``).
  private static let ownDiskShare = 0.06

  /// The kinds of requests about objects, tokens, members and the file, with their weights.
  private static let requestForms: [(PlannedQuery.Form, Int)] = [
    (.sorted, 7), (.visit, 4), (.due, 3), (.lags, 3), (.tokens, 3), (.uris, 1), (.signals, 2),
    (.differences, 2), (.size, 1), (.verify, 1), (.table, 5), (.refusals, 1), (.tour, 3),
  ]

  private func request(_ draft: PlanDraft, _ source: inout ChoiceSource) -> PlannedQuery {
    let header = draft.header
    let actor = header.actors[source.index(below: header.actors.count)]
    let forms = Self.requestForms
    var form = forms[source.weighted(forms.map(\.1))].0
    // A visit makes several commits: a fault within the visit would leave a member that no event reports.
    let mayBeCutOff = draft.active.contains(.powerOff) || draft.active.contains(.callFailure)
    if form == .visit || form == .tour, mayBeCutOff { form = .lags }
    var query = PlannedQuery(actor: actor.id, form: form)
    switch form {
    case .sorted, .uris:
      let entity = header.model.entities[source.index(below: header.model.entities.count)]
      query.entity = entity.name
      if form == .sorted { sort(&query, entity, &source) }
    case .due, .visit: query.start = interval(&source)
    case .tour:
      query.start = interval(&source)
      query.page = [1000, 1, 2, 3][source.index(below: 4)]
    case .tokens: query.start = .behind(source.index(below: 6))
    case .table:
      query.start = .behind([100, 0, 1, 2, 5][source.index(below: 5)])
      query.page = source.int(in: 1...80)
    default: break
    }
    return query
  }

  private func interval(_ source: inout ChoiceSource) -> PlannedQuery.Start {
    guard source.bool(probability: 0.7) else { return .beginning }
    let ago = [0.0, 1, 10, 600, 3600, 86_400]
    return .ago(ago[source.index(below: ago.count)])
  }

  private func sort(_ query: inout PlannedQuery, _ entity: Entity, _ source: inout ChoiceSource) {
    if source.bool(probability: 0.5) { query.conditions = PlanPredicates.draw(on: entity, &source) }
    query.page = [1000, 1, 2, 4][source.index(below: 4)]
    if source.bool(probability: 0.3) { query.start = .behind(1 + source.index(below: 3)) }
    for _ in 0..<source.index(below: 3) {
      let attribute = entity.attributes[source.index(below: entity.attributes.count)].name
      query.orders.append(PlannedOrder(attribute, isAscending: source.bool(probability: 0.5)))
    }
    guard source.bool(probability: 0.4) else { return }
    var changes = Repetition("change", 1...4, length: .average(2))
    while changes.next(&source) {
      let object = ObjectName(entity.name, source.integer(in: 1...12, simplest: 1))
      let type = [ChangeType.insert, .update, .delete][source.index(below: 3)]
      query.pending.append(
        PlannedChange(
          type,
          object,
          type == .delete ? [:] : PlanModels.someValues(of: entity, &source)
        )
      )
    }
  }

  /// Draws whether the consumers of a plan read page by page, and adds their `read` commands.
  ///
  /// The reads are drawn after `commands`, so a seed gives the same `commands` with and without them.
  /// Consumers that keep their own tokens get no `read` commands: after a power-off, such a
  /// consumer may start at its own token, but `read` starts at the position in the store.
  func addReadings(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard style.hasReadings, !draft.header.consumers.isEmpty, draft.header.tokens == .store,
      source.bool(probability: 0.4, label: "readings")
    else { return }
    var repetition = Repetition("reading", 0...Self.readingCountMax, length: .average(4))
    while repetition.next(&source) {
      let position = source.index(below: commands.count + 1)
      commands.insert(Command(.read(reading(draft.header, &source))), at: position)
    }
  }

  private static let readingCountMax = 12

  private func reading(_ header: PlanHeader, _ source: inout ChoiceSource) -> PlannedReading {
    let consumer = header.consumers[source.index(below: header.consumers.count)]
    var reading = PlannedReading(consumer, page: [1000, 1, 2, 3][source.index(below: 4)])
    if source.bool(probability: 0.25) {
      let entities = header.model.entities
      reading.entity = entities[source.index(below: entities.count)].name
    }
    if source.bool(probability: 0.3) {
      let authors = header.actors.compactMap(\.author)
      if !authors.isEmpty { reading.author = authors[source.index(below: authors.count)] }
    }
    guard source.bool(probability: 0.7) else {
      if source.bool(probability: 0.4) { reading.stopsAt = 1 + source.index(below: 3) }
      return reading
    }
    var steps = Repetition("step", 1...Self.readingCountMax, length: .average(5))
    while steps.next(&source) {
      reading.steps.append(ReadingStep.allCases[source.weighted([12, 8, 2, 2, 1, 1, 1])])
    }
    return reading
  }
}
