import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws whether a plan has requests about objects, positions, members and the file.
  ///
  /// They are drawn after the other commands, so that those of a seed stay the same without them.
  func addRequests(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard style.hasQueries, source.bool(probability: 0.1, label: "requests") else { return }
    var repetition = Repetition("request", 0...Self.requestCountMax, length: .average(5))
    while repetition.next(&source) {
      let position = source.index(below: commands.count + 1)
      let request = request(draft, &source)
      commands.insert(Command(.query(request)), at: position)
      // A pass between two purges would hide the time of the first one.
      guard request.form == .due, source.bool(probability: 0.6) else { continue }
      var again = request
      again.start = interval(&source)
      commands.insert(Command(.query(again)), at: position + 1)
    }
  }

  private static let requestCountMax = 16

  /// Draws whether a plan has a request about stores on disk, which takes milliseconds.
  func addDiskRequest(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard style.hasQueries, source.bool(probability: style.diskShare, label: "disk") else { return }
    let actor = draft.header.actors[source.index(below: draft.header.actors.count)]
    var query = PlannedQuery(actor: actor.id, form: .files)
    switch source.weighted([4, 2, 2, 4]) {
    case 0: break
    case 1:
      query.form = .watch
      query.page = source.bool(probability: 0.6) ? 1 : 1000
    case 2:
      query.form = .large
      query.page = source.int(in: 1...10_000)
    default:
      query.form = .values
      query.page = source.int(in: 1...10_000)
    }
    commands.insert(Command(.query(query)), at: source.index(below: commands.count + 1))
  }

  /// The forms of requests, with their weights.
  private static let requestForms: [(PlannedQuery.Form, Int)] = [
    (.sorted, 7), (.visit, 4), (.due, 3), (.lags, 3), (.tokens, 3), (.uris, 1), (.signals, 2),
    (.differences, 2), (.size, 1), (.verify, 1), (.table, 5), (.refusals, 1), (.tour, 3),
  ]

  private func request(_ draft: PlanDraft, _ source: inout ChoiceSource) -> PlannedQuery {
    let header = draft.header
    let actor = header.actors[source.index(below: header.actors.count)]
    let forms = Self.requestForms
    var form = forms[source.weighted(forms.map(\.1))].0
    // A visit is several commits: cut off, it would leave a member that no event reports.
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
}
