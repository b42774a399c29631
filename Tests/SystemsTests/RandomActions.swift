import HistoryTypes
import TestSupport
import Traces

/// Draws short runs of commands for two actors, some of which fail.
struct RandomActions {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Launches the actors first; reads a view, the data and history at the end.
  func make(count: Int) -> [Action] {
    var maker = self
    var actions: [Action] = [.launch("app"), .launch("widget")]
    for _ in 0..<count { actions.append(maker.next()) }
    return actions + [.view("app", context: "view"), .data, .history]
  }

  private mutating func next() -> Action {
    let actor: ActorID = Bool.random(using: &random) ? "app" : "widget"
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<8: return .write(write(actor))
    case 8, 9: return .batch(batch(actor))
    case 10: return .begin(write(actor))
    case 11: return .commit(actor)
    case 12: return .crash(actor)
    case 13, 14: return .launch(actor)
    case 15, 16: return .fetch(actor)
    case 17: return .merge(actor)
    case 18: return .record(actor)
    case 19, 20: return .pass(actor)
    case 21: return .purge(actor)
    case 22: return .clock(advance: Double.random(in: -2...400_000, using: &random))
    default: return .view(actor, context: "view")
    }
  }

  private mutating func write(_ actor: ActorID) -> PlannedWrite {
    let contexts = ["view", "view", "background", "batch"]
    let changes = (0...Int.random(in: 0...3, using: &random)).map { _ in change() }
    return PlannedWrite(
      actor: actor,
      context: contexts[Int.random(in: 0..<4, using: &random)],
      author: Int.random(in: 0..<8, using: &random) == 0 ? .absent : .own,
      changes: changes
    )
  }

  private mutating func change() -> PlannedChange {
    let key = Int64.random(in: 1...6, using: &random)
    let title = String(Int.random(in: 0..<9, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return delete(key)
    case 1, 2: return update(key, title, Int64.random(in: 0..<4, using: &random))
    default: return insert(key, title)
    }
  }

  private mutating func batch(_ actor: ActorID) -> PlannedBatch {
    let deletes = Int.random(in: 0..<4, using: &random) == 0
    let bound = Int64.random(in: 0..<4, using: &random)
    return PlannedBatch(
      actor: actor,
      type: deletes ? .delete : .update,
      entity: "Item",
      conditions: deletes ? [PlannedCondition("count", .equal, .int(bound))] : [],
      values: deletes ? [:] : values(nil, bound)
    )
  }
}
