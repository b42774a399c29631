import HistoryTypes
package import Traces

/// A few consecutive transactions of a real history, as the commands that an exploration performs in
/// their order.
///
/// A transaction without a gap to the one before has the same timestamp. A gap of more than a day, or a
/// step back, is a command of its own; other gaps are one tick, because no design compares them.
package struct PastWindow: Sendable {
  /// The writes, and the steps of the clock between them.
  package let commands: [Command]

  /// Whether no command moves the clock backwards.
  var onlyRises: Bool {
    commands.allSatisfy { if case .clock(let advance) = $0.action { advance >= 0 } else { true } }
  }

  /// The maximum number of changes of one write, because each state keeps all objects.
  static let changeCountMax = 4
  /// The shortest gap in seconds that becomes a command.
  static let gapMin = 86_400.0

  /// Creates the window of transactions that starts at an index, with a number of commands at most.
  init(_ past: PastHistory, from start: Int, commands count: Int, _ header: PlanHeader) {
    var writes = PastWrites(past)
    var commands: [Command] = []
    for place in start..<min(start + count, past.transactions.count) {
      let transaction = past.transactions[place]
      let changes = writes.next(transaction.changes.prefix(Self.changeCountMax))
      guard !changes.isEmpty else { continue }
      let gap = place == start ? 1 : transaction.gap
      if gap < 0 || gap > Self.gapMin { commands.append(Command(.clock(advance: gap))) }
      commands.append(
        Command(.write(Self.write(changes, transaction, past, header, ticks: gap != 0)))
      )
    }
    if !writes.existing.isEmpty {
      let inserts = writes.existing.map {
        PlannedChange(.insert, $0, ["title": .string("old"), "count": 0])
      }
      let write = PlannedWrite(actor: header.actors[0].id, changes: inserts)
      commands.insert(Command(.write(write)), at: 0)
    }
    self.commands = Array(commands.prefix(count))
  }

  private static func write(
    _ changes: [PlannedChange],
    _ transaction: PastHistory.Transaction,
    _ past: PastHistory,
    _ header: PlanHeader,
    ticks: Bool
  ) -> PlannedWrite {
    let author = transaction.author.map { past.authors[$0] }
    let own = header.actors.first { $0.author == author }
    return PlannedWrite(
      actor: (own ?? header.actors[0]).id,
      author: own != nil ? .own : author.map { .other($0) } ?? .absent,
      changes: changes,
      ticks: ticks
    )
  }
}

extension PlanAlphabet {
  /// Replaces the writes of all plans by windows of a real history, evenly spread over it.
  ///
  /// Each header occurs once for each window, which the header's seed names. The condition's own
  /// commands stay.
  package mutating func repeatWindows(of past: PastHistory, count: Int, commands: Int) {
    let spare = max(0, past.transactions.count - commands)
    let starts = (0..<max(1, count)).map { $0 * spare / max(1, count - 1) }
    let adopted = headers.map { Self.adopting(past, $0) }
    headers = adopted.flatMap { header in
      Set(starts).sorted().enumerated().map { number, start in
        var header = header
        header.seed = UInt64(number + 1)
        windows[header.seed] = PastWindow(past, from: start, commands: commands, header)
        return header
      }
    }
  }

  /// Returns a header with the history's model and authors; actors that shared an author still do.
  private static func adopting(_ past: PastHistory, _ original: PlanHeader) -> PlanHeader {
    var header = original
    past.adopt(in: &header, namesActors: true)
    header.model = model(of: past) ?? header.model
    for place in header.actors.indices {
      let author = original.actors[place].author
      let owner = original.actors.firstIndex { $0.id.name == author }
      header.actors[place].author = owner.map { header.actors[$0].author } ?? author
    }
    return header
  }

  /// The model of a history with the entity of the condition's own writes; `nil` if it has it already.
  private static func model(of past: PastHistory) -> Model? {
    let own = PlanModels.plain.entities[0]
    guard past.model.entities.allSatisfy({ $0.name != own.name }) else { return nil }
    do throws(ModelError) { return try Model(past.model.entities + [own]) } catch { return nil }
  }
}
