import HistoryTypes
import PropertyTesting
import Traces

/// Plans that repeat the transactions of a real history, in commit order and at its intervals.
///
/// Launches, passes, crashes, purges and all other commands are drawn between these writes.
extension PlanGenerator {
  /// The maximum number of commands drawn between two transactions.
  static let pastPauseMax = 8

  /// Sets a header's model from a history.
  ///
  /// The actors' authors are also set, unless the actors come from the user's ``PlanStyle/setup``.
  func adopt(_ past: PastHistory, in header: inout PlanHeader) {
    past.adopt(in: &header, namesActors: style.setup == nil)
  }

  /// Draws consecutive transactions of a real history, and other commands between them.
  ///
  /// If shrinking removes a transaction, all other commands keep their times. The plan then starts with
  /// only those objects that the remaining transactions change.
  func repeated(
    _ past: PastHistory,
    _ source: inout ChoiceSource,
    _ draft: inout PlanDraft
  ) -> (commands: [Command], objects: Objects) {
    guard !past.transactions.isEmpty else { return ([], [:]) }
    let start = source.index(below: past.transactions.count, label: "first transaction")
    var writes = PastWrites(past)
    var commands: [Command] = []
    var gap = 0.0
    var window = Repetition("transaction", 1...PlanStyle.pastCountMax, length: .mostlyLongest)
    while window.next(&source) {
      let place = start + window.count - 1
      guard place < past.transactions.count else {
        window.stop(&source)
        break
      }
      let transaction = past.transactions[place]
      gap += place == start ? 0 : transaction.gap
      let isKept = source.bool(probability: 0.9, label: "kept")
      // This choice is drawn in any case, so that later choices keep their positions.
      let isWhole = source.bool(probability: 0.95, label: "whole")
      var next: [Command] = []
      if isKept {
        let changes = writes.next(transaction.changes.prefix(isWhole ? .max : 1))
        append(changes, of: transaction, past, to: &next, &draft)
      }
      next += pause(&source, &draft)
      guard !next.isEmpty else { continue }
      if gap != 0 { commands.append(Command(.clock(advance: gap))) }
      gap = 0
      commands += next
    }
    if gap != 0 { commands.append(Command(.clock(advance: gap))) }
    return (commands, writes.existing)
  }

  /// Appends a transaction as a write by the actor that has the transaction's author.
  ///
  /// If no actor has this author, the first actor writes under it. If the writing actor is not running,
  /// its launch is appended before the write.
  private func append(
    _ changes: [PlannedChange],
    of transaction: PastHistory.Transaction,
    _ past: PastHistory,
    to commands: inout [Command],
    _ draft: inout PlanDraft
  ) {
    guard !changes.isEmpty else { return }
    let author = transaction.author.map { past.authors[$0] }
    let actors = draft.header.actors
    let place = actors.firstIndex { $0.author == author } ?? 0
    if draft.state.eligible(for: .launch) >> UInt64(place) & 1 == 1 {
      commands.append(Command(.launch(actors[place].id)))
      draft.state.note(.launch, by: place)
    }
    let name: WriteAuthor =
      actors[place].author == author ? .own : author.map { .other($0) } ?? .absent
    let write = PlannedWrite(
      actor: actors[place].id,
      author: name,
      changes: changes,
      ticks: false,
      fileTransaction: transaction.number
    )
    commands.append(Command(.write(write)))
    for change in changes { draft.state.note(change) }
    draft.state.note(.write, by: place)
  }

  /// Draws the commands between a transaction and the next one.
  private func pause(_ source: inout ChoiceSource, _ draft: inout PlanDraft) -> [Command] {
    var commands: [Command] = []
    var repetition = Repetition("command", 0...Self.pastPauseMax, length: .average(1.5))
    while repetition.next(&source) {
      if let command = command(&source, &draft) { commands.append(command) }
    }
    return commands
  }
}

extension PastHistory {
  /// Sets a plan's model from the history and, if `namesActors` is `true`, the plan's authors.
  ///
  /// The most active authors become actors. The other authors write, but never register as members.
  /// If a CloudKit mirror wrote some of the transactions, and the plan protects no author yet, purges
  /// keep the mirror's transactions, as they do by default.
  func adopt(in header: inout PlanHeader, namesActors: Bool) {
    header.model = model
    // The first actor must run, because it inserts the objects from before the first transaction.
    header.actors[0].launched = true
    guard namesActors else { return }
    // A second context of the writer would lack these objects until it merges them.
    header.actors[0].contexts = nil
    var names: [String: String] = [:]
    for place in header.actors.indices {
      let name = header.actors[place].id.name
      let other = members.contains(name) ? name + "-process" : name
      names[name] = place < members.count ? members[place] : other
    }
    for place in header.actors.indices {
      header.actors[place].author = names[header.actors[place].id.name]
      // The setting `allAuthors` contains names of authors, which are replaced too.
      header.actors[place].allAuthors = header.actors[place].allAuthors?.map { names[$0] ?? $0 }
      header.actors[place].ignores = header.actors[place].ignores?.map { names[$0] ?? $0 }
    }
    header.batchAuthors += members.dropFirst(header.actors.count)
    if members.count < authors.count, header.protectedAuthors.isEmpty {
      header.protectedAuthors = [PlanGenerator.mirrorAuthors]
    }
  }
}

/// Converts the changes of a history into changes of the objects of one plan.
///
/// Keys are counted from 1 for each entity. An object that existed before the plan's first
/// transaction is in the plan's header.
struct PastWrites {
  private struct Key: Hashable {
    let entity: Int
    let key: Int64
  }

  private let model: Model
  private var names: [Key: ObjectName] = [:]
  private var counts: [Int: Int64] = [:]
  /// The objects that existed before the first transaction.
  private(set) var existing: Objects = [:]
  private var number: Int64 = 0

  init(_ past: PastHistory) { model = past.model }

  /// Returns the changes of the next transaction, with generated values in place of unknown ones.
  ///
  /// Successive changes of an object have different values, so that a lost change is detected.
  mutating func next(_ changes: some Sequence<PastHistory.Change>) -> [PlannedChange] {
    number += 1
    return changes.map { change in
      let object = name(of: change)
      let numbered: Values = ["title": .string("t\(number)"), "count": .int(number)]
      let values = change.values?.replacing(numbered) ?? numbered
      return PlannedChange(change.type, object, change.type == .delete ? [:] : values)
    }
  }

  private mutating func name(of change: PastHistory.Change) -> ObjectName {
    let key = Key(entity: change.entity, key: change.key)
    if let known = names[key] { return known }
    let number = (counts[change.entity] ?? 0) + 1
    counts[change.entity] = number
    let object = ObjectName(model.entities[change.entity].name, number)
    names[key] = object
    if change.type != .insert { existing[object] = ["title": .string("old"), "count": 0] }
    return object
  }
}
