import PropertyTesting

/// A toy for stateful properties: a shared log, a cursor for each actor, a purge below the least
/// cursor.
///
/// It has seven known mistakes. After each step an oracle checks that nothing unmerged was purged,
/// at the end that all actors have seen the whole log.
struct SharedLog {
  enum Mistake: String, CaseIterable, Sendable {
    /// Purges through the greatest cursor.
    case greatest
    /// Purges one entry too many.
    case offByOne
    /// Forgets actors that joined after the first purge.
    case lateJoiner
    /// Merges a page of eight, but sets the cursor to the end.
    case shortPage
    /// Loses the last of three entries with one size of at least seven.
    case rareData
    /// Purges through the greatest of exactly four different cursors.
    case rareState
    /// Loses all entries after the 29th.
    case longRun

    /// The least number of steps that shows it, for each way in which it shows.
    var leastLengths: ClosedRange<Int> {
      switch self {
      case .greatest: 3...3
      case .offByOne: 2...2
      case .lateJoiner: 6...8
      case .shortPage: 9...12
      case .rareData: 3...6
      case .rareState: 7...7
      case .longRun: 30...30
      }
    }
  }

  private struct Entry {
    let number: Int
    let author: Int
    let size: Int
  }

  let mistake: Mistake?
  private(set) var steps: [String] = []
  private(set) var actorCount: Int
  private var entries: [Entry] = []
  private var authors: [Int] = []
  private var cursors: [Int]
  private var seen: [Set<Int>]
  private var registered: Int?

  init(actorCount: Int, mistake: Mistake?) {
    self.actorCount = actorCount
    self.mistake = mistake
    cursors = Array(repeating: 0, count: actorCount)
    seen = Array(repeating: [], count: actorCount)
  }

  mutating func append(_ actor: Int, size: Int) {
    steps.append("append \(actor) \(size)")
    authors.append(actor)
    entries.append(Entry(number: authors.count, author: actor, size: size))
    seen[actor].insert(authors.count)
  }

  mutating func merge(_ actor: Int) {
    steps.append("merge \(actor)")
    seen[actor].formUnion(mergedNumbers(actor))
  }

  private mutating func mergedNumbers(_ actor: Int) -> [Int] {
    var new = entries.filter { $0.number > cursors[actor] && $0.author != actor }
    if mistake == .shortPage { new = Array(new.prefix(8)) }
    let isRare = new.count == 3 && Set(new.map(\.size)).count == 1 && new[0].size >= 7
    if mistake == .rareData && isRare { new.removeLast() }
    if mistake == .longRun { new = Array(new.prefix(29)) }
    cursors[actor] = authors.count
    return new.map(\.number)
  }

  mutating func clean() {
    steps.append("clean")
    registered = registered ?? actorCount
    let positions = mistake == .lateJoiner ? Array(cursors.prefix(registered ?? 0)) : cursors
    var mark = (mistake == .greatest ? positions.max() : positions.min()) ?? 0
    if mistake == .offByOne { mark += 1 }
    let isRare = positions.count == 4 && Set(positions).count == 4
    if mistake == .rareState && isRare { mark = positions.max() ?? 0 }
    entries.removeAll { $0.number <= mark }
  }

  mutating func join() {
    steps.append("join")
    let common = seen.dropFirst().reduce(seen[0]) { $0.intersection($1) }
    let purged = Set(1...max(authors.count, 1)).subtracting(entries.map(\.number))
    cursors.append(cursors.min() ?? 0)
    seen.append(common.union(authors.isEmpty ? [] : purged))
    actorCount += 1
  }

  /// Tells whether an entry is gone that an actor has not seen.
  var hasLost: Bool {
    let held = Set(entries.map(\.number))
    return seen.contains { seen in
      authors.indices.contains { !seen.contains($0 + 1) && !held.contains($0 + 1) }
    }
  }

  /// Merges everywhere and tells whether an actor then misses an entry.
  mutating func endsIncomplete() -> Bool {
    for actor in 0..<actorCount { seen[actor].formUnion(mergedNumbers(actor)) }
    return seen.contains { $0.count < authors.count }
  }

  /// A property over plans of up to 50 steps.
  static func property(_ mistake: Mistake?) -> @Sendable (inout ChoiceSource) -> CaseResult {
    { source in
      var log = SharedLog(actorCount: source.int(in: 2...5), mistake: mistake)
      let weights = source.swarmWeights(4)
      var steps = Repetition("step", 0...50)
      while steps.next(&source) {
        log.step(&source, weights)
        if log.hasLost {
          return .failed(label: "lost", message: log.description)
        }
      }
      let isIncomplete = log.endsIncomplete()
      return isIncomplete ? .failed(label: "incomplete", message: log.description) : .passed
    }
  }

  private mutating func step(_ source: inout ChoiceSource, _ weights: [Int]) {
    let canJoin = mistake == .lateJoiner && actorCount < 8
    var allowed = weights
    if !canJoin { allowed[3] = 0 }
    if allowed.allSatisfy({ $0 == 0 }) { allowed[0] = 1 }
    switch source.weighted(allowed) {
    case 0:
      append(source.index(below: actorCount, label: "actor"), size: source.int(in: 1...8))
    case 1: merge(source.index(below: actorCount, label: "actor"))
    case 2: clean()
    default: join()
    }
  }
}

extension SharedLog: CustomStringConvertible {
  var description: String { steps.joined(separator: ", ") }
}
