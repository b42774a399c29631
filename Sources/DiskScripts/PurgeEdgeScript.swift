import HistoryStore
import HistoryTypes
import ObjectContexts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of histories with missing or damaged parts, and of estimates of their size.
///
/// The script deletes history as Core Data's own requests do, and changes files as other programs do.
struct PurgeEdgeScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private let now = ScriptClock()

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private static let model = try? Model([
    Entity("List", [Attribute("name", .string)]),
    Entity("Entry", [Attribute("rank", .int), Attribute("list", to: "List")]),
  ])

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    try leaveReferences(folder)
    // After a fault, the script ends: a later verification of references might not end.
    guard faults.lines.isEmpty else { return }
    try measure(folder)
    try deleteBeforePurge(folder)
    try readToDamage(folder)
    try resumeInside(folder)
    try verifyFarNumbers(folder)
    describeFindings()
  }

  private func open(
    _ path: String,
    purgingBy chunkCount: Int64? = nil
  ) throws(HistoryError) -> Store {
    var configuration = configuration()
    configuration.clock = { [now] in now.date }
    configuration.purgeChunkCount = chunkCount ?? configuration.purgeChunkCount
    guard let model = Self.model else {
      faults.append("the script's own model is refused")
      return store
    }
    return try Store(path: path, model: model, configuration: configuration)
  }

  @discardableResult
  private func insert(
    into file: Store,
    by author: String = "app",
    count: Int = 1
  ) throws(HistoryError) -> [ObjectID] {
    now.move(by: 1)
    let rows = Array(repeating: ["name": Value.string(author)], count: count)
    let author = BatchAuthor(author)
    return try file.batchInsert(into: "List", rows, by: author, result: .objectIDs).objectIDs
  }

  // MARK: The size of history

  /// Grows a file of over 2 MB, and checks when `historySize()` measures the history again.
  ///
  /// It must do so after growth by over an eighth; after less growth, it must estimate the size.
  private func measure(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("measured")
    let file = try open(path)
    try insert(into: file)
    let raw = try RawFile(path)
    // SQLite changes the number whenever another connection commits.
    let commits = "PRAGMA data_version"
    let pages = "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count"
    // An overflow page contains 4092 bytes of a long value.
    try raw.run("CREATE TABLE filler(x); INSERT INTO filler VALUES(zeroblob(4092 * 600))")
    let whole = try file.historySize()
    let measuredPages = try raw.number(pages) ?? 0
    expect(
      whole.storeBytes == Int(measuredPages) * 4096,
      "the store has \(measuredPages) pages, but \(whole.storeBytes) bytes"
    )
    let limit = measuredPages / 8
    var grown: Int64 = 0
    // `limit` is an eighth of the file, and `limit - 3` is more than a ninth. With the layout
    // `coreData`, a step may need one page more.
    for wanted in [Int64(seed.draw(60)), limit - 3, limit + 2] {
      let before = try raw.number(commits)
      try raw.run("INSERT INTO filler VALUES(zeroblob(4092 * \(wanted - grown)))")
      grown = (try raw.number(pages) ?? 0) - measuredPages
      let size = try file.historySize()
      let isMeasured = try raw.number(commits) != before
      expect(
        isMeasured == (grown > limit),
        "history is \(isMeasured ? "measured again" : "estimated") after a growth by \(grown) of"
          + " \(measuredPages) pages"
      )
      expect(
        size.storeBytes == Int(measuredPages + grown) * 4096
          && size.historyBytes == whole.historyBytes,
        "after a growth by \(grown) pages the size of \(whole) is \(size)"
      )
    }
  }

  // MARK: Purges

  /// Purges a range of history whose last rows were deleted before.
  ///
  /// The purge must end although it finds no row at the end of the range.
  private func deleteBeforePurge(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("deleted")
    let file = try open(path, purgingBy: 3)
    let authors = (0..<8).map { number in number >= 4 ? "b" : seed.pick(["a", "b"]) } + ["a"]
    for author in authors { try insert(into: file, by: author) }
    let written = try file.fetch(HistoryRequest(after: nil)).transactions
    var left = written.map { (number: $0.number.rawValue, author: $0.author) }
    for place in [2, 8] {
      if seed.draw(2) == 0 {
        try file.deleteHistory(before: written[place].timestamp, authors: ["b"])
      } else {
        try file.deleteHistory(before: written[place].number, authors: ["b"])
      }
      left.removeAll { $0.number <= place && $0.author == "b" }
      let held = try file.heldNumbers()
      expect(
        held == left.map(\.number),
        "a deletion leaves the transactions \(held), not \(left.map(\.number))"
      )
    }
    // A purge that never ends fails instead when it has recorded its progress too often.
    try RawFile(path).run(
      """
      CREATE TABLE steps(n); CREATE TRIGGER steps AFTER UPDATE ON history_metadata
      WHEN NEW.name = 'deleted' BEGIN INSERT INTO steps VALUES(1);
      SELECT RAISE(ABORT, 'too many steps') WHERE (SELECT count(*) FROM steps) > 20; END
      """
    )
    let result: PurgeResult
    do throws(HistoryError) { result = try file.purge() } catch {
      return faults.append("a purge whose last rows are missing fails: \(error)")
    }
    expect(
      result.purgedThrough.rawValue == 8 && result.transactionCount == left.count - 1,
      "a purge of \(left) before the last transaction is reported as \(result)"
    )
    let held = try file.heldNumbers()
    expect(held == [9], "after a purge the file contains the transactions \(held)")
    expect(try file.purge().transactionCount == 0, "a second purge deletes transactions")
    try insert(into: file)
    expect(try file.heldNumbers() == [9, 10], "a save after a purge has the wrong number")
    expect(try file.verify().filter(\.isWrong).isEmpty, "a file after a deletion is not intact")
  }

  // MARK: Damage

  /// Damages the second page of transactions: a fetch must name the first unreadable transaction.
  private func readToDamage(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    var tokens: [HistoryToken] = []
    var pages: [Int64] = []
    do {
      let file = try open(folder.file("paged"))
      for _ in 0..<300 { try insert(into: file) }
      tokens = try file.fetch(HistoryRequest(after: nil)).transactions.map(\.token)
      // The table `dbstat` lists the pages of the file; not every build of SQLite has it.
      let list = """
        SELECT pageno FROM dbstat WHERE name = '\(layout.transactions)' AND pagetype = 'leaf'
        ORDER BY path
        """
      do throws(HistoryError) {
        for row in try file.query(list).rows {
          if case .int(let page)? = row.first { pages.append(page) }
        }
      } catch { return }
    }
    guard pages.count > 2 else { return faults.append("all transactions are on two pages") }
    folder.overwrite("paged", with: 0xff, count: 64, at: Int(pages[1] - 1) * 4096)
    let file = try Store(path: folder.file("paged"), configuration: configuration())
    let readable = readable(file, of: tokens.count)
    expect(
      readable > 1 && readable < tokens.count,
      "one damaged page leaves \(readable) of \(tokens.count) transactions"
    )
    guard faults.lines.isEmpty else { return }
    for start in [nil, readable - 1, readable] {
      expectDamage(of: file, after: start.map { tokens[$0 - 1] }, at: readable + 1)
    }
    // A fetch reads one transaction more than it returns, to see whether history continues.
    let before = HistoryRequest(after: nil, transactionCountMax: readable - 1)
    let found = try file.fetch(before).transactions.map(\.token)
    expect(
      found == Array(tokens[..<(readable - 1)]),
      "a fetch before #\(readable) returns \(found.count) transactions"
    )
  }

  /// Returns the number of transactions before the first one that plain queries cannot read.
  private func readable(_ file: Store, of count: Int) -> Int {
    let sql = "SELECT \(layout.timestamp) FROM \(layout.transactions) WHERE \(layout.number) = ?1"
    for number in 1...count {
      do throws(HistoryError) {
        if try file.query(sql, [.int(Int64(number))]).rows.isEmpty { return number - 1 }
      } catch { return number - 1 }
    }
    return count
  }

  private func expectDamage(of file: Store, after token: HistoryToken?, at wanted: Int) {
    do throws(HistoryError) {
      let found = try file.fetch(HistoryRequest(after: token)).transactions.last?.number
      faults.append("a fetch over a damaged page ends with #\(found?.rawValue ?? 0)")
    } catch {
      guard case .damagedTransaction(let number) = error.reason else {
        return faults.append("a damaged page leads to the wrong error: \(error)")
      }
      expect(number == wanted, "damage of #\(wanted) is reported for #\(number)")
    }
  }

  /// Resumes a store during its own batch insert: the resumption must fail, and the insert succeed.
  ///
  /// Then suspends the store, which must refuse a batch insert until it is resumed.
  private func resumeInside(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let file = try open(folder.file("resumed"))
    var rest = 2
    let result = try file.batchInsert(into: "List", by: BatchAuthor("app")) { row in
      row.set(.string("inside"), at: 0)
      expect(.insideRequest, of: "a resumption inside a write") { () throws(HistoryError) in
        try file.resume()
      }
      rest -= 1
      return rest >= 0
    }
    expect(result.count == 2, "a write with a refused resumption inserts \(result.count) objects")
    try file.suspend()
    expect(.suspended, of: "a batch of a suspended store") { () throws(HistoryError) in
      _ = try file.batchInsert(into: "List", by: BatchAuthor("app")) { _ in
        faults.append("a suspended store calls the closure of a batch")
        return false
      }
    }
    try file.resume()
    try file.resume()
    expect(!file.isSuspended, "a store that was resumed twice is suspended")
    expect(try insert(into: file).count == 1, "a resumed store does not insert an object")
  }

  // MARK: Verification

  /// Creates references to missing objects: by a save, which must fail, and by plain SQL.
  ///
  /// The error of the save must list the referring objects. After plain SQL has deleted an object,
  /// `verify()` must count the references to it.
  private func leaveReferences(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("references")
    let file = try open(path)
    let lists = try insert(into: file, count: 3)
    let by = BatchAuthor("app")
    let rows = (0..<6).map { ["rank": Value.int(Int64($0)), "list": .int(lists[$0 % 3].key)] }
    let entries = try file.batchInsert(into: "Entry", rows, by: by, result: .objectIDs).objectIDs
    let moved = Set((0..<6).filter { $0 == 4 || seed.draw(2) == 0 }.map { entries[$0] })
    let context = ObjectContext(store: file, author: "app", name: "view")
    for id in entries where moved.contains(id) {
      try context.object(id)?.set(.int(lists[0].key + 1000), for: "list")
    }
    do throws(HistoryError) {
      try context.save()
      faults.append("a save of a reference to a missing object succeeds")
    } catch {
      expect(
        error.code == .danglingReference,
        "a missing object leads to the wrong error: \(error)"
      )
      let found = Set(error.objects)
      expect(found == moved, "the error for missing objects names \(found), not \(moved)")
    }
    guard faults.lines.isEmpty else { return }
    expect(try file.verify().filter(\.isWrong).isEmpty, "a refused save leaves an irregularity")
    let wanted = [1, 4].map { entries[$0] }
    let removal = "DELETE FROM List WHERE _key = \(lists[1].key)"
    do { try RawFile(path).run("PRAGMA foreign_keys = OFF; \(removal)") }
    let found = try file.verify().filter(\.isWrong)
    expect(
      found.count == 1 && found[0].kind == .danglingReferences && found[0].count == 2
        && found[0].first == wanted[0].key && found[0].object == "Entry/\(wanted[0].key)",
      "two references to a missing object are found as \(found)"
    )
  }

  /// Raises the numbers of all transactions after #3, and damages one of these transactions.
  ///
  /// `verify()` must report the gap in the numbers and the damaged transaction once each.
  private func verifyFarNumbers(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("far")
    let file = try open(path)
    for _ in 0..<9 { try insert(into: file) }
    let gap = 480 + Int64(seed.draw(60))
    let bad = 4 + Int64(seed.draw(5))
    let number = layout.number
    let table = layout.transactions
    let move = "UPDATE \(table) SET \(number) = \(number) + \(gap) WHERE \(number) > 3"
    let raw = try RawFile(path)
    switch layout {
    case .packed:
      try raw.run(
        "\(move); UPDATE history_transaction SET changes = x'02' WHERE number = \(bad + gap)"
      )
    case .coreData:
      try raw.run(
        """
        \(move);
        UPDATE ACHANGE SET ZTRANSACTIONID = ZTRANSACTIONID + \(gap) WHERE ZTRANSACTIONID > 3;
        UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE ZTRANSACTIONID = \(bad + gap)
        """
      )
    }
    let other = try Store(path: path, configuration: configuration())
    let found = try other.verify().filter { $0.kind != .unusedStrings }
    let isRight = found.allSatisfy { finding in
      switch finding.kind {
      case .damaged: finding.count == 1 && finding.first == bad + gap && finding.isWrong
      case .gaps: finding.count == gap && !finding.isWrong
      default: false
      }
    }
    expect(isRight && found.count == 2, "a gap and a damaged transaction are found as \(found)")
  }

  /// Checks that the texts for one and two findings of each kind differ only in number and plural.
  private func describeFindings() {
    for kind in HistoryFinding.Kind.allCases {
      let words = kind.sentence(of: 1).split(separator: " ").map(String.init)
      let plural = ["2"] + words.dropFirst().prefix(1).map { "\($0)s" } + words.dropFirst(2)
      let found = kind.sentence(of: 2)
      expect(
        words.first == "1" && words.count > 2 && found == plural.joined(separator: " "),
        "findings are described as: \(words.joined(separator: " ")), and: \(found)"
      )
    }
  }
}
