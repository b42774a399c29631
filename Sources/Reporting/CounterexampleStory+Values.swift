internal import PersistentHistory
internal import Traces

/// The texts of tooltips: names and values in full.
extension CounterexampleStory {
  /// Returns the actor, action and time of a row.
  func value(of row: CounterexampleRow) -> String {
    let place = row.number.isEmpty ? "" : "Step \(row.number), "
    let who = row.actor.map { CounterexamplePhrase.printable($0.name) } ?? "the store"
    let times = row.events.compactMap { event -> String? in
      guard case .committed(let transaction) = event.happening else { return nil }
      return " at \(CounterexamplePhrase.value(.double(transaction.timestamp))) s"
    }
    let text = "\(place)\(who): \(row.text)\(times.first ?? "")"
    return text.replacing("\u{a0}", with: " ")
  }

  /// Returns a transaction's author, context, time and changes.
  func value(of name: TransactionName) -> String {
    typealias Say = CounterexamplePhrase
    guard let told = transaction(named: name) else { return Say.name(name) }
    let author = told.author.map { "author " + Say.printable($0) } ?? "no author"
    let context = told.context.map { ", context " + Say.printable($0) } ?? ""
    let changes = told.changes.map { change in
      "\(change.type.word) \(Say.object(change.object, change.values))"
    }
    let time = Say.value(.double(told.timestamp))
    let said = changes.isEmpty ? "no changes" : Say.list(changes)
    return "\(Say.name(name)): \(author)\(context), at \(time) s; \(said)"
      .replacing("\u{a0}", with: " ")
  }

  /// Returns the movements of an actor's cursor, row by row.
  func cursors(of actor: ActorID, _ positions: [TracePositions]) -> String {
    var told = ["The cursor of \(CounterexamplePhrase.printable(actor.name))"]
    for (row, (before, after)) in zip(rows, zip(positions, positions.dropFirst())) {
      guard let cursor = after.cursors[actor], cursor != before.cursors[actor] else { continue }
      let place = row.number.isEmpty ? "then" : "step \(row.number)"
      told.append("\(place): \(CounterexamplePhrase.cursor(after.name(at: cursor)))")
    }
    return told.joined(separator: "; ")
  }
}
