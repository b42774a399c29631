import Checkers
import PersistentHistory
import Systems
import Traces

/// What several parts of the conversation check.
extension ProtocolScript {
  /// Asks for the data, and blames a command if they differ from the model; `nil` blames none.
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
    // Each write is to be judged by itself, as long as the answers to "data" are to be trusted.
    if model.hasSeenData { model.adopt(objects) } else { model.knowsData = false }
  }

  /// Asks for an actor's view, and blames a command if it differs from the data.
  mutating func checkView(
    _ actor: ActorID,
    blaming command: String,
    _ sentence: String
  ) throws(ProtocolTalk.Ended) {
    let action = Action.view(actor, context: "view")
    let outcome = try talk.ask(.command(action), right: model.answer(to: action))
    guard model.knowsData, !talk.isWrong("view") else { return }
    // A replaced object may be there twice: then the older one has a key below zero.
    let objects = outcome.answer?.objects?.filter { $0.key.key >= 0 }
    guard let objects, let difference = Self.difference(objects, from: model.objects) else {
      if objects != nil { stale.remove(actor) }
      return
    }
    // Later differences follow from the first one.
    guard stale.insert(actor).inserted else { return }
    talk.blame(command, "\(sentence): \(difference)")
  }

  /// The first difference between objects and the right ones, as a clause.
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

  /// Blames a command for the names of transactions in its answer: unknown ones, repeated ones, missing
  /// ones, or a wrong order.
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

  /// Blames a command for a cursor that is no transaction, or is one of an empty history.
  mutating func checkCursor(_ cursor: WirePosition?, of command: String) {
    guard let name = cursor?.transaction, !model.isKnown(name) else { return }
    if model.isEmpty {
      talk.blame(command, "while history is empty the cursor is null, and it is \(name.quoted)")
    } else if model.knowsNames {
      talk.blame(command, Self.unknown(name))
    }
  }

  /// Blames a command that records for a cursor that is missing or no transaction.
  mutating func checkProgress(_ answer: WireAnswer?, of command: String) {
    guard let answer else { return }
    talk.expect(command, answer.cursor != nil, "after a merge the answer must have \"cursor\"")
    checkCursor(answer.cursor, of: command)
  }
}
