import Basics
import Checkers
import HistoryTypes
import Systems
import Traces

/// Checks of writes: their answers, and the data afterwards.
extension ProtocolScript {
  /// Returns a write of one change.
  static func write(
    _ actor: ActorID,
    _ type: ChangeType,
    _ object: ObjectName,
    _ values: Values = [:]
  ) -> PlannedWrite {
    PlannedWrite(actor: actor, changes: [PlannedChange(type, object, values)])
  }

  /// Sends a write, and checks the answer to it and the data afterwards.
  ///
  /// - Returns: The name of the transaction; `nil` if the answer is wrong or no write was
  ///   committed.
  @discardableResult
  mutating func write(_ write: PlannedWrite) throws(ProtocolTalk.Ended) -> TransactionName? {
    try perform(.write(write), ProtocolEdit(write, in: model))
  }

  /// Sends writes that test how a program combines the changes of one write.
  ///
  /// Each write tests one rule. For example, an insert and a delete of one object make no change,
  /// and an insert of an existing object is left out.
  mutating func writeNetChanges() throws(ProtocolTalk.Ended) {
    let (third, fourth) = (ObjectName("Item", 3), ObjectName("Item", 4))
    let missing = ObjectName("Item", 9)
    let lists: [[PlannedChange]] = [
      [PlannedChange(.insert, Self.item, ["title": .string("again"), "count": .int(5)])],
      [
        PlannedChange(.insert, third, ["title": .string("c"), "count": .int(1)]),
        PlannedChange(.update, third, ["count": .int(3)]),
      ],
      [
        PlannedChange(.delete, third),
        PlannedChange(.insert, third, ["title": .string("C"), "count": .int(4)]),
      ],
      [PlannedChange(.insert, fourth, ["count": .int(4)]), PlannedChange(.delete, fourth)],
      [
        PlannedChange(.insert, third, ["count": .int(5)]),
        PlannedChange(.insert, fourth, ["title": .string("d"), "count": .int(4)]),
      ],
      [PlannedChange(.update, fourth, ["count": .int(6)]), PlannedChange(.delete, fourth)],
      [PlannedChange(.update, missing, ["count": .int(9)]), PlannedChange(.delete, missing)],
    ]
    for changes in lists { try write(PlannedWrite(actor: Self.app, changes: changes)) }
    try checkView(Self.app, blaming: "write", "a write must bring its actor's view up to date")
    try pass(Self.widget)
  }

  /// Sends a command that writes, then checks the program's answer and its data.
  ///
  /// - Returns: The name of the transaction; `nil` if the answer is wrong or no write was committed.
  @discardableResult
  mutating func perform(
    _ action: Action,
    _ edit: ProtocolEdit
  ) throws(ProtocolTalk.Ended) -> TransactionName? {
    // The correct answer carries the time at which the message will be sent.
    let right = model.answer(to: edit, now: talk.now + 1)
    let outcome = try talk.ask(.command(action), right: right)
    lastWrite = talk.last
    let name = judge(outcome, of: action.word, edit, right: right)
    let isRight = outcome.answer != nil && !talk.isBlamed(talk.last)
    let what = "the previous message, \(talk.last.id) (\(action.word.quoted))"
    try checkData(after: isRight ? "data" : nil, "the data must show the effect of \(what)")
    return isRight ? name : nil
  }

  /// Reports a wrong answer to a write, and applies the write to the model.
  @discardableResult
  mutating func judge(
    _ outcome: ProtocolTalk.Outcome,
    of word: String,
    _ edit: ProtocolEdit,
    right: WireAnswer
  ) -> TransactionName? {
    let fallback: CommittedTransaction? =
      if case .committed(let transaction)? = right.write { transaction } else { nil }
    switch outcome {
    case .refused: return nil
    case .unreadable:
      var transaction = fallback
      if let name = talk.lastName, !model.isKnown(name) {
        transaction?.name = name
      } else if transaction != nil {
        model.knowsNames = false
      }
      model.commit(edit, transaction)
      return nil
    case .answered(let answer):
      guard case .committed(let reported)? = answer.write else {
        guard let sentence = edit.disagreement(with: []) else {
          model.commit(edit, nil)
          return nil
        }
        if model.knowsData { talk.blame(word, "\(sentence) and no transaction") }
        model.knowsNames = false
        return nil
      }
      if let sentence = fault(of: reported, edit) { talk.blame(word, sentence) }
      if model.isKnown(reported.name) {
        model.knowsNames = false
      } else {
        model.commit(edit, reported)
      }
      return reported.name
    }
  }

  // MARK: Faults of a write's answer

  private func fault(of reported: CommittedTransaction, _ edit: ProtocolEdit) -> String? {
    if model.isKnown(reported.name) {
      return "an earlier write already has the transaction name \(reported.name.quoted)"
    }
    if reported.author != edit.author {
      let right = edit.author.map(\.quoted) ?? "null"
      let wrong = reported.author.map(\.quoted) ?? "null"
      return "the transaction's author must be \(right), but is \(wrong)"
    }
    guard model.knowsData else { return nil }
    return edit.disagreement(with: reported.changes) ?? edit.wrongValue(in: reported.changes)
  }
}

extension ProtocolEdit {
  /// Returns an error text for the first object with wrong changes in the answer; `nil` for none.
  ///
  /// ``NetChange/isReported(by:)`` decides whether the changes of an object are correct.
  fileprivate func disagreement(with reported: [CommittedChange]) -> String? {
    var types = Dictionary(grouping: reported, by: \.object).mapValues { $0.map(\.type) }
    for change in net.sorted(by: { $0.object < $1.object }) {
      let reported = types.removeValue(forKey: change.object) ?? []
      if !change.isReported(by: reported) {
        return sentence(change.object, change.type, reported: reported)
      }
    }
    guard let object = types.keys.min() else { return nil }
    return sentence(object, nil, reported: types[object] ?? [])
  }

  private func sentence(_ object: ObjectName, _ type: ChangeType?, reported: [ChangeType]) -> String
  {
    let edits = planned?.filter { $0.object == object }.map(\.type) ?? []
    let answered =
      "the answer has \(reported.isEmpty ? "none" : reported.map(\.noun).joinedWithAnd)"
    guard let type else {
      if edits.isEmpty { return "the command must not change \(object), but \(answered)" }
      let list = edits.map { "the \($0.word)" }.joinedWithAnd
      if edits == [.insert, .delete], before[object] == nil {
        return "\(list) of \(object) in one write make no change, but \(answered)"
      }
      let why = before[object] == nil ? "does not exist" : "exists"
      return "\(list) of \(object), which \(why), must be left out, but \(answered)"
    }
    if edits.count > 1 {
      let list = edits.map { "the \($0.word)" }.joinedWithAnd
      return "\(list) of \(object) in one write make \(type.noun), but \(answered)"
    }
    return "the command must be answered with \(type.noun) of \(object), but \(answered)"
  }

  /// Returns an error text for the first wrong column or value in the answer; `nil` for none.
  ///
  /// An update may omit the columns that the write set to their previous values.
  fileprivate func wrongValue(in reported: [CommittedChange]) -> String? {
    for change in reported where change.type != .delete {
      let values = after.objects[change.object] ?? [:]
      for (name, value) in change.values.sorted(by: { $0.key < $1.key })
      where !value.isSame(as: values[name] ?? .null) {
        return "\(name) of \(change.object) must be \(values[name] ?? .null), but the answer has "
          + "\(value)"
      }
      if let sentence = wrongColumn(in: change, values) { return sentence }
    }
    return nil
  }

  private func wrongColumn(in change: CommittedChange, _ values: Values) -> String? {
    let right = changes.first { $0.object == change.object }?.columns ?? []
    let isReplacement = net.contains { $0.object == change.object && $0.isReplacement }
    guard change.type == .update, !change.columns.isEmpty, !isReplacement else { return nil }
    let old = before[change.object] ?? [:]
    let changed = values.keys.filter { !(values[$0] ?? .null).isSame(as: old[$0] ?? .null) }
    let isRight =
      changed.allSatisfy(change.columns.contains) && change.columns.allSatisfy(right.contains)
    guard !isRight else { return nil }
    let columns = right.map(\.quoted).joined(separator: ",")
    return "the update of \(change.object) sets the columns [\(columns)], but the answer has others"
  }
}

extension NetChange {
  /// Returns whether the changes of an object in an answer agree with this net change.
  ///
  /// An update that changed no value may be omitted, and an object that was deleted and inserted
  /// may have both changes.
  fileprivate func isReported(by reported: [ChangeType]) -> Bool {
    if let type, reported == [type] { return true }
    guard type == .update else { return type == nil && reported.isEmpty }
    if reported.isEmpty { return !changesValues }
    return isReplacement && reported.count == 2 && Set(reported) == [.delete, .insert]
  }
}

extension ChangeType {
  /// The change as a noun with its article.
  fileprivate var noun: String { self == .delete ? "a delete" : "an \(word)" }
}
