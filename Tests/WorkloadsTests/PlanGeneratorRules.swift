import HistoryTypes
import Traces

/// The permitted commands, implemented again so that they do not share the generator's bugs.
struct PlanRules {
  private let header: PlanHeader
  private var running: Set<ActorID>
  private var begun: Set<ActorID> = []
  private var replaced: Set<ActorID> = []
  private let allowsTwice: Bool

  init(_ header: PlanHeader, allowsTwice: Bool = false) {
    self.header = header
    self.allowsTwice = allowsTwice
    running = Set(header.actors.filter(\.launched).map(\.id))
  }

  /// Returns why a command is not legal now, or applies it and returns `nil`.
  mutating func objection(to action: Action) -> String? {
    guard let actor = action.actor else { return nil }
    if case .consume = action {
      return header.consumers.contains(actor) ? nil : "\(actor) is no consumer"
    }
    guard header.actor(actor) != nil else { return "\(actor) is not in the plan" }
    let wants: Bool
    switch action {
    // A second process of a running actor is a condition.
    case .launch:
      let isFirst = running.insert(actor).inserted
      if !isFirst, header.locks == .none {
        begun.remove(actor)
        replaced.insert(actor)
      }
      wants = isFirst || allowsTwice
    case .belated: wants = replaced.contains(actor)
    case .deliver, .poll: wants = running.contains(actor) && header.drive == .signals
    case .stop, .crash, .retire:
      begun.remove(actor)
      wants = running.remove(actor) != nil
    case .begin: wants = running.contains(actor) && begun.insert(actor).inserted
    case .commit: wants = running.contains(actor) && begun.remove(actor) != nil
    default: wants = running.contains(actor)
    }
    return wants ? values(of: action) : "\(actor) cannot \(action.word) now"
  }

  /// Ends every process.
  mutating func losePower() {
    running = []
    begun = []
    replaced = []
  }

  /// Returns why the values of a write do not match the model, or `nil`.
  private func values(of action: Action) -> String? {
    if case .batch(let batch) = action {
      if batch.type == .insert { return "a batch inserts" }
      for (name, value) in batch.conditions.flatMap(Self.compared) {
        // Conditions may compare with null, which is of every type.
        if value != .null, let misfit = misfit(batch.entity, [name: value]) { return misfit }
      }
      return misfit(batch.entity, batch.values)
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

  /// Returns the attributes that a condition compares, each with a value.
  private static func compared(_ condition: PlannedCondition) -> [(String, Value)] {
    switch condition {
    case .compare(let name, _, let value): [(name, value)]
    case .among(let name, let values): values.map { (name, $0) }
    case .between(let name, let low, let high): [(name, low), (name, high)]
    case .like(let name, let pattern): [(name, .string(pattern))]
    case .all(let parts), .any(let parts): parts.flatMap(compared)
    case .not(let part): compared(part)
    }
  }

  private func misfit(_ entity: String, _ values: Values) -> String? {
    guard let found = header.model.entities.first(where: { $0.name == entity }) else {
      return "no entity \(entity)"
    }
    for (name, value) in values {
      guard let attribute = found.attributes.first(where: { $0.name == name }),
        attribute.type == value.type || attribute.reference != nil && value == .null
      else { return "\(entity).\(name) cannot be \(value)" }
    }
    return nil
  }
}

extension Action {
  /// The write that is saved or started.
  var planned: PlannedWrite? {
    switch self {
    case .write(let write), .begin(let write): write
    default: nil
    }
  }
}

/// The notable features of a plan.
enum Traits {
  static func of(_ action: Action) -> Set<String> {
    switch action {
    case .write(let write):
      let size = write.changes.count == 1 ? "one change" : "several changes"
      let types = Set(write.changes.map { "\($0.type)" })
      let byKey = write.context == "batch" && types.count == 1 ? types.map { "\($0) by key" } : []
      return types.union(byKey + [write.context, author(write.author), size])
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
