package import HistoryTypes
package import Traces

/// The transactions of a real store's history, which plans repeat as their writes.
package struct PastHistory: Sendable {
  /// A change of an object: the type, the entity's index in the model, and the object's key.
  package struct Change: Sendable, Hashable {
    package let type: ChangeType
    package let entity: Int
    package let key: Int64
    /// The object's values, if this is its last change or its last change before a deletion.
    ///
    /// `nil` for all other changes, for deletes, and if the values are unknown.
    package let values: PastValues?
  }

  /// A transaction of a real history, with at most ``changeCountMax`` of its changes.
  package struct Transaction: Sendable, Hashable {
    /// The transaction's number in the history file; `nil` if the number is unknown.
    package let number: Int64?
    /// The author's index in the list of authors; `nil` if the transaction has no author.
    package let author: Int?
    /// The seconds since the previous transaction; negative if the clock stepped back.
    package let gap: Double
    package let changes: [Change]
  }

  /// The maximum number of changes that are read of one transaction.
  package static let changeCountMax = 32
  /// The maximum number of transactions that are taken from a history: the newest ones.
  package static let transactionCountMax = 100_000

  /// The entities whose objects ``transactions`` change.
  ///
  /// Each entity has only the two attributes of generated plans: the text `title` and the whole
  /// number `count`.
  package private(set) var model: Model
  /// The authors of ``transactions``, the most active first.
  package let authors: [String]
  /// The authors except those of CloudKit mirrors.
  package var members: [String] {
    authors.filter { !$0.hasPrefix(PlanGenerator.mirrorAuthors.dropLast()) }
  }
  /// The transactions that plans may repeat, in commit order.
  package let transactions: [Transaction]

  /// Creates a history from transactions whose authors and entities have names.
  ///
  /// If `isAnonymous` is `true`, numbered names replace the names of authors and entities.
  ///
  /// - Throws: ``ModelError`` if an entity has a name that no store accepts.
  /// - Complexity: linear in the changes.
  package init(
    _ records: some Collection<PastRecord>,
    isAnonymous: Bool = false
  ) throws(ModelError) {
    var counts: [String: Int] = [:]
    var entities: [String: Int] = [:]
    for record in records {
      if let author = record.author { counts[author, default: 0] += 1 }
      for change in record.changes where entities[change.entity] == nil {
        entities[change.entity] = entities.count
      }
    }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    let places = Dictionary(uniqueKeysWithValues: zip(sorted, sorted.indices))
    authors = isAnonymous ? sorted.indices.map { "author\($0 + 1)" } : sorted
    let names = entities.sorted { $0.value < $1.value }.map(\.key)
    let shown = names.isEmpty ? ["Item"] : names
    model = try Model(
      shown.enumerated().map { place, name in
        Entity(isAnonymous ? "Entity\(place + 1)" : name, PlanModels.plain.entities[0].attributes)
      }
    )
    var last: Double?
    transactions = records.map { record in
      defer { last = record.timestamp ?? last }
      let gap = record.timestamp.flatMap { now in last.map { now - $0 } } ?? 0
      return Transaction(
        number: record.number,
        author: record.author.flatMap { places[$0] },
        gap: gap.isFinite ? gap : 0,
        changes: record.changes.map {
          Change(type: $0.type, entity: entities[$0.entity] ?? 0, key: $0.key, values: $0.values)
        }
      )
    }
  }
}

/// A transaction as it is read from a history file.
package struct PastRecord: Sendable {
  /// A change with the name of its entity.
  package struct Change: Sendable {
    package let type: ChangeType
    package let entity: String
    package let key: Int64
    /// The object's values after the change; `nil` if they are unknown.
    package var values: PastValues?

    package init(_ type: ChangeType, _ entity: String, _ key: Int64, _ values: PastValues? = nil) {
      (self.type, self.entity, self.key, self.values) = (type, entity, key, values)
    }
  }

  /// The transaction's number in the history file; `nil` if the number is unknown.
  package let number: Int64?
  package let author: String?
  /// Seconds since 2001-01-01 UTC; `nil` if the file has no readable timestamp.
  package let timestamp: Double?
  /// The first changes of the transaction, at most ``PastHistory/changeCountMax``.
  package var changes: [Change]

  package init(number: Int64? = nil, author: String?, timestamp: Double?, changes: [Change]) {
    self.number = number
    self.author = author
    self.timestamp = timestamp
    self.changes = changes
  }
}

/// A few consecutive transactions of a real history, converted to commands of plans.
///
/// Two transactions with equal timestamps in the history have equal timestamps in the plan. A gap
/// of more than a day, or a step back, becomes a `clock` command. For any other gap, the clock
/// advances by ``PlanHeader/step``, because none of the designs in `PublishedDesigns.md` depends on
/// the length of so short a gap.
package struct PastWindow: Sendable {
  /// The writes, with the commands that move the clock between them.
  package let commands: [Command]
  /// The objects that the writes change and that existed before the first transaction.
  let objects: Objects

  /// Whether no command moves the clock backwards.
  var onlyRises: Bool {
    commands.allSatisfy { if case .clock(let advance) = $0.action { advance >= 0 } else { true } }
  }

  /// The maximum number of changes of one write.
  ///
  /// The limit is low, because each state of an exploration contains all objects.
  static let changeCountMax = 4
  /// The length in seconds above which a gap between transactions becomes a `clock` command.
  static let gapMin = 86_400.0

  /// Creates a window of at most `count` commands, from the transaction with the index `start`.
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
    objects = writes.existing
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
      ticks: ticks,
      fileTransaction: transaction.number
    )
  }
}

extension PlanAlphabet {
  /// Replaces the writes of all plans by windows, which are consecutive transactions of a real history.
  ///
  /// The windows are spread evenly over the history. Each plan header is copied once per window, and
  /// the copies replace the headers in ``headers``. The seed of a copy is the key of its window in
  /// ``windows``. Passes, purges, and the commands that the condition adds remain possible.
  package mutating func repeatWindows(of past: PastHistory, count: Int, commands: Int) {
    let spare = max(0, past.transactions.count - commands)
    let starts = (0..<max(1, count)).map { $0 * spare / max(1, count - 1) }
    let adopted = headers.map { Self.adopting(past, $0) }
    headers = adopted.flatMap { header in
      Set(starts).sorted().enumerated().map { number, start in
        var header = header
        header.seed = UInt64(number + 1)
        let window = PastWindow(past, from: start, commands: commands, header)
        header.objects = window.objects
        windows[header.seed] = window
        return header
      }
    }
  }

  /// Returns a header with the history's model and authors.
  ///
  /// Actors that share an author in the original header share one in the result, too.
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

  /// Returns a history's model with one more entity, for writes that do not repeat the history.
  ///
  /// For example, plans under the condition `ties` may also insert objects of this entity. The
  /// result is `nil` if the entity cannot be added, for example because the history's model already
  /// has an entity of its name.
  private static func model(of past: PastHistory) -> Model? {
    let own = PlanModels.plain.entities[0]
    guard past.model.entities.allSatisfy({ $0.name != own.name }) else { return nil }
    do throws(ModelError) { return try Model(past.model.entities + [own]) } catch { return nil }
  }
}
