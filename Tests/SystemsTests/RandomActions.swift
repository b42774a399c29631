import HistoryTypes
import PropertyTesting
import Traces

/// Commands before and after a point at which a test replaces or restores their system.
struct CutRun {
  let before: [Action]
  let after: [Action]
}

extension Generator<CutRun> {
  /// Draws about sixty commands for two actors, some of which fail, in two parts.
  ///
  /// The first part launches the actors, the second ends with reading a view, the data and history.
  static var cutRuns: Generator {
    Generator { source in
      let actions = source.array("action", 0...68, length: .mostlyLongest) { $0.action() }
      let cut = min(source.int(in: 0...68), actions.count)
      return CutRun(
        before: [.launch("app"), .launch("widget")] + actions.prefix(cut),
        after: actions.dropFirst(cut) + [.view("app", context: "view"), .data, .history]
      )
    }
  }
}

extension ChoiceSource {
  fileprivate mutating func action() -> Action {
    let actor: ActorID = bool() ? "widget" : "app"
    switch index(below: 24) {
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
    case 22: return .clock(advance: double(in: -2...400_000))
    default: return .view(actor, context: "view")
    }
  }

  private mutating func write(_ actor: ActorID) -> PlannedWrite {
    PlannedWrite(
      actor: actor,
      context: ["view", "view", "background", "batch"][index(below: 4)],
      author: bool(probability: 0.125) ? .absent : .own,
      changes: array("change", 1...4) { $0.change() }
    )
  }

  private mutating func change() -> PlannedChange {
    let key = Int64(int(in: 1...6))
    let title = String(int(in: 0...8))
    switch index(below: 6) {
    case 0..<3: return insert(key, title)
    case 3, 4: return update(key, title, Int64(int(in: 0...3)))
    default: return delete(key)
    }
  }

  private mutating func batch(_ actor: ActorID) -> PlannedBatch {
    let deletes = bool(probability: 0.25)
    let bound = Int64(int(in: 0...3))
    return PlannedBatch(
      actor: actor,
      type: deletes ? .delete : .update,
      entity: "Item",
      conditions: deletes ? [PlannedCondition("count", .equal, .int(bound))] : [],
      values: deletes ? [:] : values(nil, bound)
    )
  }
}
