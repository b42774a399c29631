package import PropertyTesting

/// A toy for stateful properties: a shared log in SQLite, a cursor for each actor, and purges below
/// the lowest cursor.
///
/// It has seven known bugs. After each step an independent oracle checks that no unmerged entry was
/// purged, and at the end that all actors have merged the whole log.
package struct SharedLog: CommandMachine {
  package enum Mistake: String, CaseIterable, Sendable {
    /// Purges up to the highest cursor.
    case greatest
    /// Purges one entry too many.
    case offByOne
    /// Forgets actors that joined after the first purge.
    case lateJoiner
    /// Merges a page of eight, but sets the cursor to the end.
    case shortPage
    /// Loses the last of three entries with one size of at least seven.
    case rareData
    /// Purges up to the highest of exactly four different cursors.
    case rareState
    /// Loses all entries after the 29th.
    case longRun
  }

  package enum Command {
    case append(actor: Int, size: Int)
    case merge(Int)
    case purge
    case join
  }

  /// The violation that the oracle found.
  package enum Loss: String, LabelledFailure {
    /// An entry was purged that an actor has not merged.
    case purged
    /// At the end an actor misses an entry.
    case missing

    package var failureLabel: String { rawValue }
  }

  package static let rules: [CommandRule<SharedLog>] = [
    CommandRule("append") { log, source in
      let actor = source.index(below: log.actorCount, label: "actor")
      return .append(actor: actor, size: source.int(in: 1...8, label: "size"))
    },
    CommandRule("merge") { log, source in
      .merge(source.index(below: log.actorCount, label: "actor"))
    },
    CommandRule("purge") { _, _ in .purge },
    CommandRule("join", when: { $0.canJoin && $0.actorCount < 8 }, draw: { _, _ in .join }),
  ]

  private let store: SharedLogStore
  private let canJoin: Bool
  private(set) var actorCount: Int
  /// All appended numbers, and for each actor those it has merged or written.
  private var all = NumberSet()
  private var seen: [NumberSet]
  private var last: Int64 = 0

  init(_ store: SharedLogStore, actorCount: Int, canJoin: Bool) throws {
    self.store = store
    self.actorCount = actorCount
    self.canJoin = canJoin
    seen = Array(repeating: NumberSet(), count: actorCount)
    try store.reset(actorCount: actorCount)
  }

  package mutating func perform(_ command: Command) throws {
    switch command {
    case .append(let actor, let size):
      try store.append(actor, size: size)
      last += 1
      all.insert(last)
      seen[actor].insert(last)
    case .merge(let actor): seen[actor].formUnion(try store.merge(actor))
    case .purge: try store.purge()
    case .join: try join()
    }
    let held = try store.held()
    for merged in seen {
      var present = merged
      present.formUnion(held)
      if !present.isSuperset(of: all) { throw Loss.purged }
    }
  }

  /// A new actor starts with a copy of what all have merged, and of what is purged.
  private mutating func join() throws {
    try store.join(actorCount)
    actorCount += 1
    var start = all
    for merged in seen { start.formIntersection(merged) }
    var purged = all
    purged.subtract(try store.held())
    start.formUnion(purged)
    seen.append(start)
  }

  package mutating func finish() throws {
    for actor in 0..<actorCount { seen[actor].formUnion(try store.merge(actor)) }
    if seen.contains(where: { !$0.isSuperset(of: all) }) { throw Loss.missing }
  }

  /// Makes a property over plans of up to 50 steps, on one store.
  package static func property(
    _ mistake: Mistake?
  ) throws -> (inout ChoiceSource) throws -> CaseResult {
    let store = try SharedLogStore(mistake)
    return { source in
      let count = source.int(in: 2...5)
      var log = try SharedLog(store, actorCount: count, canJoin: mistake == .lateJoiner)
      try source.perform(on: &log)
      return .passed
    }
  }
}

extension SharedLog.Command: CustomStringConvertible {
  package var description: String {
    switch self {
    case .append(let actor, let size): "append \(actor) \(size)"
    case .merge(let actor): "merge \(actor)"
    case .purge: "purge"
    case .join: "join"
    }
  }
}
