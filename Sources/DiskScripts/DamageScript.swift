import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of damaged store files, of files changed by other programs, and of restored copies.
struct DamageScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private static let item = Entity(
    "Item",
    [Attribute("name", .string, preservesValueInHistoryOnDeletion: true), Attribute("count", .int)]
  )

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    try callFunctions(folder)
    try refuseWrites(folder)
    try restore(folder)
    try damageChanges(folder)
    try damagePages(folder)
    try widen(folder)
    try damageStrings(folder)
  }

  /// Creates a store that contains transactions of every change type.
  private mutating func fill(
    _ folder: borrowing ScratchFolder,
    _ name: String,
    count: Int = 8
  ) throws(HistoryError) -> Store? {
    let model = try model([Self.item])
    var configuration = configuration()
    configuration.processID = "process"
    // Every random number is 42; the random marks in the transactions' tokens must differ
    // nevertheless.
    configuration.random = { 42 }
    let file = try Store(path: folder.file(name), model: model, configuration: configuration)
    let context = ObjectContext.retaining(file, author: "app", name: "view")
    var objects: [StoredObject] = []
    for number in 1...count {
      switch number % 4 {
      case 0 where !objects.isEmpty: objects.removeFirst().delete()
      case 3: try objects.last?.set(.int(Int64(number)), for: "count")
      default: break
      }
      objects.append(try context.insert("Item", ["name": .string("\(number)")]))
      try context.save()
    }
    return file
  }

  private func numbers(
    _ file: Store,
    _ filter: HistoryFilter? = nil,
    _ contents: HistoryContents = .transactionsWithChanges
  ) throws(HistoryError) -> [Int64] {
    var request = HistoryRequest(after: nil, filter: filter)
    request.contents = contents
    return try file.fetch(request).transactions.map(\.number.rawValue)
  }

  // MARK: Statements by other programs

  /// Calls the library's internal SQL functions outside of any request; no history may result.
  private mutating func callFunctions(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let file = try fill(folder, "functions") else { return }
    let context = ObjectContext.retaining(file, author: nil, name: "query")
    let ids = try context.objects("Item").map(\.id)
    let by = BatchAuthor("app")
    try file.batchUpdate("Item", where: nil, set: ["count": 1], by: by)
    try context.merge(try file.fetch(HistoryRequest(after: nil)).transactions)
    for id in ids.prefix(seed.draw(2)) {
      _ = try ObjectContext.retaining(file, author: nil, name: "other").object(id)
    }
    let sql = "SELECT history_update(77), history_delete(78, 'x'), history_row(79, 1, 'x', 1)"
    let rows = try file.query(sql).rows
    expect(
      rows.first?.first == .int(0),
      "SQL functions that are called outside of a request return \(rows)"
    )
    let count = try file.batchUpdate("Item", where: nil, set: ["count": 2], by: by).count
    expect(count == ids.count, "\(count) of \(ids.count) objects were updated")
    let changed = try file.fetch(HistoryRequest(after: nil)).changes.map(\.objectID.key)
    expect(
      changed.allSatisfy { $0 < 77 },
      "a call of an SQL function outside of a request became a change of history"
    )
  }

  /// Lets a trigger abort a save after the author's name was stored, then repeats the save.
  private mutating func refuseWrites(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let file = try fill(folder, "refused") else { return }
    let path = folder.file("refused")
    func save() throws(HistoryError) {
      // The author has the name of an existing context, so only the author's row is new.
      let context = ObjectContext.retaining(file, author: "view", name: "view")
      _ = try context.insert("Item")
      try context.save()
    }
    do {
      let raw = try RawFile(path)
      try raw.run(
        """
        CREATE TRIGGER refuse BEFORE INSERT ON \(layout.transactions)
        BEGIN SELECT RAISE(ABORT, 'refused'); END
        """
      )
      expect(.sqlite, of: "a save that a trigger refuses", save)
      try raw.run("DROP TRIGGER refuse")
    }
    let token = try file.currentToken()
    try save()
    try insert(into: file)
    let (head, result) = (try file.currentToken().number, try file.purge())
    let (left, held) = (try count(file), try file.heldNumbers())
    expect(
      left == 1 && held == [head],
      "after a failed save, a purge of its author leaves \(left) rows and \(held): \(result)"
    )
    expect(.expired, of: "to fetch the author's purged history") { () throws(HistoryError) in
      _ = try file.fetch(HistoryRequest(after: token, filter: .author("view")))
    }
  }

  private func count(_ file: Store) throws(HistoryError) -> Int64 {
    let rows = try file.query("SELECT count(*) FROM \(layout.transactions)").rows
    if case .int(let count)? = rows.first?.first { return count }
    return 0
  }

  /// Copies a store's file and cached state to a second store, and makes the same save in both.
  ///
  /// Both saves must give the same object key and the same random mark of the transaction.
  private mutating func restore(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let file = try fill(folder, "kept") else { return }
    let tokens = try file.fetch(HistoryRequest(after: nil)).transactions.map(\.token)
    expect(
      Set(tokens.map(\.mark)).count == tokens.count,
      "two tokens have the same random mark: \(tokens.map(\.mark))"
    )
    let state = try file.cachedState()
    try Store.replace(path: folder.file("restored"), with: folder.file("kept"))
    let copy = try Store(path: folder.file("restored"), configuration: configuration())
    try copy.restore(state)
    var ends: [[Int64]] = []
    for one in [file, copy] {
      let context = ObjectContext.retaining(one, author: "app", name: "view")
      let object = try context.insert("Item")
      let mark = try context.save()?.token.mark ?? 0
      ends.append([object.id.key, mark])
    }
    expect(ends[0] == ends[1], "a save in a restored store gives \(ends[1]), not \(ends[0])")
  }

  // MARK: Damage

  /// Removes, empties and damages transactions, and checks the results of `verify()` and of
  /// fetches.
  private mutating func damageChanges(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let file = try fill(folder, "damaged", count: 12) else { return }
    let (bad, empty) = (2 + Int64(seed.draw(3)), 6 + Int64(seed.draw(2)))
    var wanted = (1...12).map(Int64.init).filter { $0 != 10 }
    let raw = try RawFile(folder.file("damaged"))
    switch layout {
    case .packed:
      try raw.run(
        """
        UPDATE history_transaction SET count = 0, entities = 0, changes = x'01' WHERE number = \(empty);
        DELETE FROM history_transaction WHERE number = 10
        """
      )
    case .coreData:
      try raw.run(
        """
        DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (\(empty), 10);
        DELETE FROM ATRANSACTION WHERE Z_PK = 10
        """
      )
    }
    let found = try numbers(file)
    expect(
      found == wanted,
      "a fetch from a history with an empty transaction returns \(found), not \(wanted)"
    )
    // An empty transaction matches a filter that holds for every possible change; these do not.
    let others = wanted.filter { $0 != empty }
    for filter in [HistoryFilter.entity("Item"), .not(.entity("Item")), .not(.type(.delete))] {
      let found = try numbers(file, filter)
      let isRight = filter == .not(.entity("Item")) ? found.isEmpty : found == others
      expect(isRight, "the filter \(filter) finds the transactions \(found)")
    }
    try compare(file, [.gaps: (1, 10)])
    try raw.run(
      layout == .packed
        ? "UPDATE history_transaction SET changes = x'02' WHERE number IN (\(bad), 9)"
        : "UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE ZTRANSACTIONID IN (\(bad), 9)"
    )
    try compare(file, [.damaged: (2, bad), .gaps: (1, 10)])
    let headers = try numbers(file, nil, .transactionsOnly)
    expect(
      headers == wanted,
      "a fetch without changes from a damaged history returns \(headers), not \(wanted)"
    )
    wanted = wanted.filter { $0 < bad }
    let sound = try file.fetch(HistoryRequest(after: nil, transactionCountMax: Int(bad) - 1))
    expect(
      sound.transactions.map(\.number.rawValue) == wanted,
      "a fetch does not return the undamaged transactions"
    )
    expectDamage(of: file, at: bad)
  }

  private mutating func compare(
    _ file: Store,
    _ wanted: [HistoryFinding.Kind: (count: Int64, first: Int64)]
  ) throws(HistoryError) {
    let findings = try file.verify().filter { $0.kind != .unusedStrings }
    let isRight =
      findings.count == wanted.count
      && findings.allSatisfy { finding in
        wanted[finding.kind].map { $0 == (finding.count, finding.first) } ?? false
      }
    expect(isRight, "the verification of a damaged file finds \(findings), not \(wanted)")
  }

  private mutating func expectDamage(of file: Store, at number: Int64) {
    do throws(HistoryError) {
      let found = try numbers(file)
      faults.append("a fetch that includes the damaged transaction #\(number) returns \(found)")
    } catch {
      guard case .damagedTransaction(let found) = error.reason else {
        return faults.append("damage of transaction #\(number) leads to the wrong error: \(error)")
      }
      expect(found == number, "damage of transaction #\(number) is reported for #\(found)")
    }
  }

  /// Overwrites a page of the file; a fetch must return all transactions before the damaged page.
  private mutating func damagePages(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    var pages: [Int64] = []
    do {
      guard let file = try fill(folder, "pages", count: 400) else { return }
      // The table `dbstat` lists the pages of the file.
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
    guard !pages.isEmpty else { return }
    // If the first page is damaged, no transaction is readable.
    let place = seed.draw(2) == 0 ? 0 : seed.draw(pages.count)
    folder.overwrite("pages", with: 0xff, count: 64, at: Int(pages[place] - 1) * 4096)
    let file = try Store(path: folder.file("pages"), configuration: configuration())
    var readable: Int64 = 0
    for number in 1...400 as ClosedRange<Int64> {
      let sql = "SELECT \(layout.timestamp) FROM \(layout.transactions) WHERE \(layout.number) = ?1"
      do throws(HistoryError) {
        if try file.query(sql, [.int(number)]).rows.isEmpty { break }
      } catch { break }
      readable = number
    }
    expectDamage(of: file, at: readable + 1)
  }

  /// Stores 0, 71 and 73 as the changed columns of each update in history, and fetches them.
  ///
  /// Column numbers above 63 occur in models with more than 64 attributes. With the layout `packed`,
  /// the check is left out.
  private mutating func widen(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard layout == .coreData else { return }
    do { guard try fill(folder, "wide") != nil else { return } }
    do {
      let raw = try RawFile(folder.file("wide"))
      // The bitmap of the columns 0, 71 and 73; the most significant bit of each byte comes first.
      try raw.run("UPDATE ACHANGE SET ZCOLUMNS = x'80000000000000000140' WHERE ZCHANGETYPE = 1")
    }
    folder.copy("wide", to: "foreign", setting: 0, at: 68)
    let foreign = try Store(reading: folder.file("foreign"), copyingTo: folder.path)
    _ = try foreign.convert(to: folder.file("narrow"))
    let narrow = try Store(path: folder.file("narrow"), configuration: configuration())
    for file in [foreign, narrow] {
      let updates = try file.fetch(HistoryRequest(after: nil)).changes.filter { $0.type == .update }
      let isRight = updates.allSatisfy { $0.columnNumbers == [0, 71, 73] }
      expect(
        !updates.isEmpty && isRight,
        "updates with columns above 63 are read as \(updates.map(\.columnNumbers))"
      )
    }
  }

  /// Damages the references of transactions to process names, and checks fetches and `verify()`.
  ///
  /// First, one transaction refers to a name that the file does not contain. Then all transactions
  /// refer to a name whose number is above the library's limit for such numbers.
  private mutating func damageStrings(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    guard let file = try fill(folder, "strings") else { return }
    let raw = try RawFile(folder.file("strings"))
    let (strings, number) = (layout.strings, layout.stringNumber)
    let last = try raw.number("SELECT max(\(number)) FROM \(strings)") ?? 0
    let column = layout == .packed ? "process" : "ZPROCESSIDTS"
    try raw.run(
      "UPDATE \(layout.transactions) SET \(column) = \(last + 1) WHERE \(layout.number) = 3"
    )
    let processes = try file.fetch(HistoryRequest(after: nil)).transactions.map(\.processID)
    expect(
      processes.enumerated().allSatisfy { ($1 == nil) == ($0 == 2) },
      "a missing process name is read as \(processes)"
    )
    try compare(file, [.unknownStrings: (1, 3)])
    try raw.run("UPDATE \(strings) SET \(number) = 20000000 WHERE \(number) = \(last)")
    try raw.run("UPDATE \(layout.transactions) SET \(column) = 20000000")
    let other = try Store(path: folder.file("strings"), configuration: configuration())
    expect(.damaged, of: "a fetch of a name numbered above the limit") { () throws(HistoryError) in
      _ = try numbers(other)
    }
  }
}
