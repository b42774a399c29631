import Checkers
import PersistentHistory
import Systems
import Traces

/// Checks that several parts of the conversation share.
extension ProtocolScript {
  /// Requests the data, and blames a command if they differ from the model; `nil` blames none.
  mutating func checkData(
    after command: String?,
    _ sentence: String
  ) throws(ProtocolTalk.Ended) {
    let outcome = try talk.ask(.command(.data), right: model.answer(to: .data))
    guard let objects = outcome.answer?.objects else { return }
    guard let difference = Self.difference(objects, from: model.objects) else {
      if !objects.isEmpty { model.hasSeenData = true }
      return
    }
    if let command, model.knowsData { talk.blame(command, "\(sentence): \(difference)") }
    // Each write is judged by itself, as long as the answers to "data" can be trusted.
    if model.hasSeenData { model.adopt(objects) } else { model.knowsData = false }
  }

  /// Requests an actor's view, and blames a command if the view differs from the data.
  mutating func checkView(
    _ actor: ActorID,
    blaming command: String,
    _ sentence: String
  ) throws(ProtocolTalk.Ended) {
    let action = Action.view(actor, context: "view")
    let outcome = try talk.ask(.command(action), right: model.answer(to: action))
    guard model.knowsData, !talk.isWrong("view") else { return }
    // A replaced object may appear twice; the older copy then has a negative key.
    let objects = outcome.answer?.objects?.filter { $0.key.key >= 0 }
    guard let objects, let difference = Self.difference(objects, from: model.objects) else {
      if objects != nil { stale.remove(actor) }
      return
    }
    // Report only the first difference: later ones follow from it.
    guard stale.insert(actor).inserted else { return }
    talk.blame(command, "\(sentence): \(difference)")
  }

  /// Returns the first difference between reported and correct objects, as a clause.
  static func difference(_ told: Objects, from right: Objects) -> String? {
    for object in Set(told.keys).union(right.keys).sorted() {
      guard let values = right[object] else { return "\(object) must not be there" }
      guard let toldValues = told[object] else { return "\(object) is missing" }
      for name in Set(values.keys).union(toldValues.keys).sorted() {
        let (value, other) = (values[name] ?? .null, toldValues[name] ?? .null)
        guard value.isSame(as: other) else {
          return "\(name) of \(object) must be \(value), and is \(other)"
        }
      }
    }
    return nil
  }

  /// Blames a command for the transactions in its answer.
  ///
  /// It blames unknown, repeated or missing transactions, and a wrong order.
  mutating func checkNames(
    _ names: [TransactionName]?,
    of command: String,
    hold wanted: [TransactionName]
  ) {
    guard let names else { return }
    if model.knowsNames, let unknown = names.first(where: { !model.isKnown($0) }) {
      talk.blame(command, Self.unknown(unknown))
    } else if let missing = wanted.first(where: { !names.contains($0) }) {
      talk.blame(
        command,
        "it must name the transaction \(missing.quoted), which another actor wrote"
      )
    } else if Set(names).count < names.count {
      talk.blame(command, "it names a transaction twice")
    } else if names.filter(wanted.contains) != wanted {
      talk.blame(command, "it must name the transactions in the order of their commits")
    }
  }

  private static func unknown(_ name: TransactionName) -> String {
    "it names the transaction \(name.quoted), with which no write was answered"
  }

  /// Blames a command for a cursor that is unknown, or that is set in an empty history.
  mutating func checkCursor(_ cursor: WirePosition?, of command: String) {
    guard let name = cursor?.transaction, !model.isKnown(name) else { return }
    if model.isEmpty {
      talk.blame(command, "while history is empty the cursor is null, and it is \(name.quoted)")
    } else if model.knowsNames {
      talk.blame(command, Self.unknown(name))
    }
  }

  /// Blames a recording command for a cursor that is missing or an unknown transaction.
  mutating func checkProgress(_ answer: WireAnswer?, of command: String) {
    guard let answer else { return }
    talk.expect(command, answer.cursor != nil, "after a merge the answer must have \"cursor\"")
    checkCursor(answer.cursor, of: command)
  }
}
