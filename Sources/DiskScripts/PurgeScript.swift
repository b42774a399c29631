import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PurgeScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private let now = ScriptClock()
  /// All transactions that were written, purged ones included.
  private var written: [HistoryTransaction] = []
  private var held: Set<Int64> = []
  /// The greatest transaction number that any of the purges so far was allowed to delete.
  private var reached: Int64 = 0
  /// The cursor of the only member; `nil` if there is no member.
  private var cursor: Int64?

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private func draw(_ count: Int) -> Int { seed.draw(count) }

  private func pick<Element>(_ list: [Element]) -> Element { seed.pick(list) }

  private static let authors: [String?] = ["a", "b", nil]
  private static let contexts: [String?] = ["view", "batch", nil]

  private var head: Int64 { Int64(written.count) }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    var configuration = configuration()
    configuration.clock = { [now] in now.date }
    let path = folder.file("purged")
    let file = try Store(path: path, model: store.model, configuration: configuration)
    let member = draw(5) == 0 ? nil : try file.join("slow", author: "a")
    try write(10 + draw(30), into: file)
    try compareDates(file)
    if let member {
      let place = draw(written.count + 1)
      if place > 0 { try file.record(member, through: written[place - 1].token) }
      cursor = Int64(place)
    }
    for round in 0..<5 {
      try purge(file, isFirst: round == 0)
      if draw(3) == 0 { try write(1 + draw(6), into: file) }
    }
    try refuseForeignMembers(file, path, configuration, member)
    expect(
      try file.verify().allSatisfy { !$0.isWrong },
      "the verification of the file finds errors"
    )
  }

  private mutating func write(_ count: Int, into file: Store) throws(HistoryError) {
    for _ in 0..<count {
      now.move(by: pick([0, 0, 0.5, 1, 10, 3600, -5]))
      let context = ObjectContext(
        store: file,
        author: pick(Self.authors),
        name: pick(Self.contexts)
      )
      for _ in 0...draw(3) { _ = try context.insert(store.model.entities[0].name) }
      guard let number = try context.save()?.number,
        let transaction = try file.transaction(number)
      else { return faults.append("a save has added no transaction to history") }
      let last = head
      expect(number.rawValue == last + 1, "the transaction after #\(last) has the number \(number)")
      written.append(transaction)
      held.insert(number.rawValue)
    }
  }

  // MARK: Purging

  private enum Bound {
    case none
    case before(Int64)
    case date(Double)
  }

  private mutating func purge(_ file: Store, isFirst: Bool) throws(HistoryError) {
    let target = pick(written)
    let isHeld = held.contains(target.number.rawValue)
    let filter = PurgeFilter(
      authors: draw(2) == 0 ? nil : Set((0...draw(2)).map { _ in pick(Self.authors) }),
      contextNames: draw(3) > 0 ? nil : Set((0...draw(2)).map { _ in pick(Self.contexts) })
    )
    let isCuttingOff = draw(6) == 0
    let limit = min(isCuttingOff ? head : cursor ?? head, head - 1)
    let bound: Bound
    let result: PurgeResult
    switch draw(5) {
    case 0:
      bound = .none
      result = try file.purge(filter: filter)
    case 1 where isHeld:
      bound = .before(target.number.rawValue)
      result = try file.purge(before: target, filter: filter, cuttingOff: isCuttingOff)
    case 2:
      let date = target.timestamp.timeIntervalSinceReferenceDate + pick([0, 0.25, -0.25])
      bound = .date(date)
      result = try file.purge(
        before: Date(timeIntervalSinceReferenceDate: date),
        filter: filter,
        cuttingOff: isCuttingOff
      )
    default:
      bound = .before(target.number.rawValue)
      result = try file.purge(before: target.token, filter: filter, cuttingOff: isCuttingOff)
    }
    var usesCut = isCuttingOff
    if case .none = bound { usesCut = false }
    let reach = usesCut ? limit : min(cursor ?? head, head - 1)
    let wanted = written.filter { transaction in
      let number = transaction.number.rawValue
      let isBefore =
        switch bound {
        case .none: true
        case .before(let bound): number < bound
        case .date(let date): transaction.timestamp.timeIntervalSinceReferenceDate < date
        }
      return held.contains(number) && isBefore && number < head
        && filter.authors?.contains(transaction.author) ?? true
        && filter.contextNames?.contains(transaction.contextName) ?? true
    }
    let gone = wanted.map(\.number.rawValue).filter { $0 <= reach }
    held.subtract(gone)
    reached = max(reached, reach)
    let what = "a purge with \(bound) and \(filter), which may reach #\(reach) of #\(head)"
    expect(
      result.transactionCount == gone.count,
      "\(what): the purge returns \(result), but must delete \(gone)"
    )
    expect(
      try file.heldNumbers() == held.sorted(),
      "\(what): history does not have the expected transactions afterwards"
    )
    if !usesCut {
      expect(
        result.watermark.rawValue == cursor ?? head,
        "\(what): the watermark is \(result.watermark)"
      )
      expect(result.lostMembers.isEmpty, "\(what): the purge cuts off \(result.lostMembers)")
      if isFirst { compareLimit(result, bound, wanted.last?.number.rawValue ?? 0, reach, filter) }
    } else if let cursor, !result.lostMembers.isEmpty {
      expect(
        gone.contains { $0 > cursor } || cursor < reach,
        "\(what): a member is cut off needlessly"
      )
      self.cursor = nil
    } else {
      expect(
        !gone.contains { $0 > cursor ?? head },
        "\(what): the purge deletes unmerged transactions, but cuts off no member"
      )
    }
    try compareTokens(file, gone)
  }

  /// Checks that the script's first purge correctly reports whether a member's cursor limited it.
  private mutating func compareLimit(
    _ result: PurgeResult,
    _ bound: Bound,
    _ last: Int64,
    _ reach: Int64,
    _ filter: PurgeFilter
  ) {
    switch bound {
    case .none where filter.contextNames == nil:
      expect(
        !result.isLimited,
        "a purge without a bound is reported as limited by a member: \(result)"
      )
    case .before(let bound) where filter.contextNames == nil:
      expect(
        result.isLimited == (reach < bound - 1),
        "a purge before #\(bound), which members allow through #\(reach), returns \(result)"
      )
    case .before where last > 0:
      expect(
        result.isLimited == (last > reach),
        "a purge through #\(last), which members allow through #\(reach), returns \(result)"
      )
    default: break
    }
  }

  /// Fetches after a few tokens, and checks which of the tokens have expired.
  ///
  /// A token must have expired if a transaction after it was purged. A token below ``reached``, the
  /// greatest number that a purge was allowed to delete, may have expired in any case.
  private mutating func compareTokens(_ file: Store, _ gone: [Int64]) throws(HistoryError) {
    let all = try file.fetch(HistoryRequest(after: nil)).transactions.map(\.number.rawValue)
    expect(all == held.sorted(), "a fetch from the beginning returns the transactions \(all)")
    for _ in 0..<4 {
      let token = pick(written).token
      let rest = held.filter { $0 > token.number }.sorted()
      let isGap = written.contains {
        $0.number.rawValue > token.number && !held.contains($0.number.rawValue)
      }
      do throws(HistoryError) {
        let found = try file.fetch(HistoryRequest(after: token)).transactions
        expect(
          found.map(\.number.rawValue) == rest,
          "a fetch after #\(token.number) does not return the transactions in history"
        )
        expect(
          !isGap,
          "a fetch after #\(token.number) succeeds, although history after it was purged"
        )
      } catch {
        // A token below a purge's bound may expire even if the purge has deleted nothing after it.
        let mayExpire = error.code == .expired && token.number < reached
        expect(
          mayExpire,
          "with history purged through #\(reached), a fetch after #\(token.number) fails: \(error)"
        )
      }
    }
    let gaps = try file.verify().first { $0.kind == .gaps }?.count ?? 0
    let missing = (held.max() ?? 0) - (held.min() ?? 0) + 1 - Int64(held.count)
    expect(gaps == missing, "the verification finds \(gaps) missing numbers, not \(missing)")
  }

  // MARK: Dates and members

  /// Fetches the transactions after a date, in pages, before the first purge.
  private mutating func compareDates(_ file: Store) throws(HistoryError) {
    let first = (written.first?.timestamp.timeIntervalSinceReferenceDate ?? 0) - 0.25
    for round in 0..<6 {
      let time = pick(written).timestamp.timeIntervalSinceReferenceDate + pick([0, 0.25, -0.25])
      let date = Date(timeIntervalSinceReferenceDate: round == 0 ? first : time)
      var request = HistoryRequest(after: date, transactionCountMax: 1 + draw(5))
      var found: [Int64] = []
      while found.count <= written.count {
        let page = try file.fetch(request)
        found += page.transactions.map(\.number.rawValue)
        guard page.hasMore else { break }
        request = request.next(after: page)
      }
      let expected = written.filter { $0.timestamp > date }.map(\.number.rawValue)
      expect(
        found == expected,
        "a fetch after \(date) returns the transactions \(found), not \(expected)"
      )
    }
  }

  /// Tries to purge and to record a position with a registration that a later launch has replaced.
  ///
  /// Both calls must fail.
  private mutating func refuseForeignMembers(
    _ file: Store,
    _ path: String,
    _ configuration: StoreConfiguration,
    _ member: Registration?
  ) throws(HistoryError) {
    guard let member, cursor != nil else { return }
    var configuration = configuration
    configuration.memberLocks = .none
    let other = try Store(path: path, configuration: configuration)
    let taken = try other.join("slow", author: "a")
    expect(.superseded, of: "a purge by a process that was replaced") { () throws(HistoryError) in
      _ = try file.purge(by: member)
    }
    expect(.superseded, of: "a record by a process that was replaced") { () throws(HistoryError) in
      try file.record(member, through: try file.currentToken())
    }
    let token = try other.currentToken()
    let result = try other.purge(by: taken, recording: token)
    expect(
      result.watermark.rawValue == token.number,
      "a purge that records its member's cursor returns the watermark \(result.watermark)"
    )
    expect(
      try other.heldNumbers() == [head],
      "a purge after the last record leaves more than the newest transaction"
    )
    try other.retire(taken)
    expect(.notAMember, of: "a purge by a member that has retired") { () throws(HistoryError) in
      _ = try other.purge(by: taken)
    }
  }
}
