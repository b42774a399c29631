import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws whether a plan has queries, and inserts them between its commands.
  ///
  /// They are drawn after the other commands, so that those of a seed stay the same without them.
  func addQueries(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard style.hasQueries, source.bool(probability: 0.2, label: "queries") else { return }
    var repetition = Repetition("query", 0...Self.queryCountMax, length: .average(5))
    while repetition.next(&source) {
      let position = source.index(below: commands.count + 1)
      commands.insert(Command(.query(query(draft, &source))), at: position)
    }
  }

  private static let queryCountMax = 16

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
}
