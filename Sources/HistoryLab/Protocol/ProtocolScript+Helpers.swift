import Checkers
import PersistentHistory
import Traces

/// What the parts of the conversation have in common.
extension ProtocolScript {
  /// Asks for a write that takes effect, and answers its transaction.
  mutating func committed(
    by action: Action,
    _ word: String
  ) throws(ProtocolTalk.Ended) -> CommittedTransaction? {
    guard let answer = try talk.ask(.command(action)) else { return nil }
    guard case .committed(let told)? = answer.write else {
      talk.expect(word, false, "a write that takes effect must be answered with its transaction")
      return nil
    }
    return told
  }

  /// Accuses the answer to a command unless it names some transactions.
  mutating func expect(
    _ word: String,
    _ names: [TransactionName]?,
    holds wanted: [TransactionName]
  ) {
    guard let names, let missing = wanted.first(where: { !names.contains($0) }) else { return }
    talk.expect(word, false, "it must name the transaction \(missing), which another actor wrote")
  }

  /// Accuses the answer about the data unless it holds some objects and no others.
  mutating func expectData(
    _ objects: Objects,
    after word: String
  ) throws(ProtocolTalk.Ended) {
    guard let answer = try talk.ask(.command(.data)) else { return }
    talk.expect(
      "data",
      Self.isSame(answer.objects, objects),
      "after the first \(word) it must hold what was written, and nothing else"
    )
  }

  /// Whether objects hold some values.
  static func isSame(_ told: Objects?, _ wanted: Objects) -> Bool {
    guard let told, Set(told.keys) == Set(wanted.keys) else { return false }
    return wanted.allSatisfy { object, values in
      values.allSatisfy { ($0.value).isSame(as: told[object]?[$0.key] ?? .null) }
    }
  }

  /// Whether a write left no change.
  static func isEffectless(_ write: WireWrite?) -> Bool {
    if case .committed(let told)? = write { told.changes.isEmpty } else { true }
  }

  /// A write of one change.
  static func write(
    _ actor: ActorID,
    _ type: ChangeType,
    _ object: ObjectName,
    _ values: Values
  ) -> PlannedWrite {
    PlannedWrite(actor: actor, changes: [PlannedChange(type, object, values)])
  }
}
