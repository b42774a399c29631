import PersistentHistory
import Traces

/// Who may do what, written anew so that it does not share the generator's mistakes.
struct PlanRules {
  private let header: PlanHeader
  private var running: Set<ActorID>
  private var begun: Set<ActorID> = []

  init(_ header: PlanHeader) {
    self.header = header
    running = Set(header.actors.filter(\.launched).map(\.id))
  }

  /// Why a command is not legal now, or nothing; a legal one takes effect.
  mutating func objection(to action: Action) -> String? {
    guard let actor = action.actor else { return nil }
    guard header.actor(actor) != nil else { return "\(actor) is not in the plan" }
    let wants: Bool
    switch action {
    case .launch: wants = running.insert(actor).inserted
    case .stop, .crash, .retire:
      begun.remove(actor)
      wants = running.remove(actor) != nil
    case .begin: wants = running.contains(actor) && begun.insert(actor).inserted
    case .commit: wants = running.contains(actor) && begun.remove(actor) != nil
    default: wants = running.contains(actor)
    }
    return wants ? values(of: action) : "\(actor) cannot \(action.word) now"
  }

  /// Why what a write sets does not fit the model, or nothing.
  private func values(of action: Action) -> String? {
    if case .batch(let batch) = action {
      let set = batch.values.merging(batch.conditions.map { ($0.attribute, $0.value) }) { $1 }
      return batch.type == .insert ? "a batch inserts" : misfit(batch.entity, set)
    }
    guard let changes = action.planned?.changes else { return nil }
    if changes.isEmpty { return "a write without changes" }
    for change in changes {
      if let misfit = misfit(change.object.entity, change.values) { return misfit }
      if change.type == .update && change.values.isEmpty { return "an update of nothing" }
      if change.type == .delete && !change.values.isEmpty { return "a delete with values" }
    }
    return nil
  }

  private func misfit(_ entity: String, _ values: Values) -> String? {
    guard let found = header.model.entities.first(where: { $0.name == entity }) else {
      return "no entity \(entity)"
    }
    for (name, value) in values {
      guard let attribute = found.attributes.first(where: { $0.name == name }),
        attribute.type == value.type
      else { return "\(entity).\(name) cannot be \(value)" }
    }
    return nil
  }
}

extension Action {
  /// The write that is saved or begun.
  var planned: PlannedWrite? {
    switch self {
    case .write(let write), .begin(let write): write
    default: nil
    }
  }
}

/// What is worth seeing in a plan.
enum Traits {
  static func of(_ action: Action) -> Set<String> {
    switch action {
    case .write(let write):
      let size = write.changes.count == 1 ? "one change" : "several changes"
      return Set(write.changes.map { "\($0.type)" } + [write.context, author(write.author), size])
    case .batch(let batch): return ["batch \(batch.type)", author(batch.author)]
    case .clock(let advance):
      return [advance < 0 ? "back" : advance >= 86_400 ? "days" : "forward"]
    default: return []
    }
  }

  private static func author(_ author: WriteAuthor) -> String {
    switch author {
    case .own: "own"
    case .absent: "absent"
    case .other: "other"
    }
  }
}
