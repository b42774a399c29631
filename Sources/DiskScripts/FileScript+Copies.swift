import HistoryInspection
import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// Checks of converting, inspecting and replacing a store.
extension FileScript {
  /// Converts the closed store, which has no WAL file, to each layout, and checks the results.
  mutating func convert(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let before = folder.names
    expect(
      !before.contains { $0.hasPrefix("history-lab-") },
      "a private copy was not removed: \(before)"
    )
    let reading = try Store(reading: folder.file("original"), copyingTo: folder.path)
    expect(
      try history(reading) == lines,
      "a file without a log is read with a different history"
    )
    expect(folder.names == before, "reading a store created files: \(folder.names)")
    try refuseTargets(folder, reading)
    for layout in [HistoryLayout.packed, .coreData] {
      let path = folder.file("converted-\(layout.rawValue)")
      let result = try reading.convert(to: path, layout: layout)
      expect(
        result.transactionCount == lines.count,
        "\(result.transactionCount) transactions were converted, not \(lines.count)"
      )
      let made = try Store(path: path, configuration: configuration())
      expect(
        try history(made) == lines,
        "the history of a converted file differs from the original"
      )
      expect(
        try made.verify().allSatisfy { !$0.isWrong },
        "the verification of a converted file finds errors"
      )
      expect(
        try made.currentToken().number == reading.currentToken().number,
        "the newest transaction of a converted file differs"
      )
      expect(.unreadable, of: "a conversion to the path of an existing file") {
        () throws(HistoryError) in
        _ = try reading.convert(to: path, layout: layout)
      }
      let used = try made.fetch(HistoryRequest(after: nil)).changes.map(\.objectID)
      let context = ObjectContext.retaining(made, author: "app", name: "view")
      let id = try context.insert(entities[0].name).id
      expect(!used.contains(id), "a converted store gives a new object the used key of \(id)")
    }
  }

  /// Tries to convert the store to invalid target paths; each conversion must fail.
  private mutating func refuseTargets(
    _ folder: borrowing ScratchFolder,
    _ reading: Store
  ) throws(HistoryError) {
    folder.write("", to: "target-wal")
    let (target, nowhere) = (folder.file("target"), folder.file("nowhere/target"))
    expect(.unreadable, of: "a conversion to a path where a log exists") {
      () throws(HistoryError) in
      _ = try reading.convert(to: target)
    }
    expect(.unreadable, of: "a conversion into a missing folder") { () throws(HistoryError) in
      _ = try reading.convert(to: nowhere)
    }
    do throws(HistoryError) {
      _ = try reading.convert(to: folder.file(String(repeating: "n", count: 300)))
      faults.append("a conversion to a name of 300 characters is accepted")
    } catch {
      expect(
        "\(error)".contains("too long"),
        "the error for a name of 300 characters lacks \"too long\": \(error)"
      )
    }
    expect(!folder.names.contains("target"), "a refused conversion left a file")
  }

  /// Reads a Core Data file, counts the history in each store file, and checks the results.
  mutating func inspect(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    folder.copy("converted-coreData", to: "core-data", setting: 0, at: 68)
    let foreign = try Store(reading: folder.file("core-data"), copyingTo: folder.path)
    let shown = try history(foreign)
    expect(shown == lines, "the history of a Core Data file is read as \(shown)")
    let names = foreign.model.entities.map(\.name)
    expect(
      names == entities.map(\.name),
      "the entities of a Core Data file are read as \(names)"
    )
    let original = try Store(reading: folder.file("original"), copyingTo: folder.path)
    let page = try original.fetch(HistoryRequest(after: nil))
    let changes = page.transactions.flatMap(\.changes)
    let counts = ChangeType.allCases.map { type in changes.count { $0.type == type } }
    let authors = Dictionary(grouping: page.transactions, by: \.author).mapValues(\.count)
    let inspector = StoreInspector(temporaryFolder: folder.path)
    for name in ["missing", "original/below"] {
      do throws(InspectionError) {
        _ = try inspector.census(of: folder.file(name))
        faults.append("the inspection of the missing file \(name) succeeds")
      } catch {
        if case .notFound = error {} else { faults.append("the missing file \(name): \(error)") }
      }
    }
    for name in ["original", "converted-packed", "converted-coreData", "core-data"] {
      let census: HistoryCensus
      do throws(InspectionError) { census = try inspector.census(of: folder.file(name)) } catch {
        faults.append("\(name) cannot be inspected: \(error)")
        continue
      }
      let found = [census.types.inserts, census.types.updates, census.types.deletes]
      expect(
        census.transactions == lines.count,
        "\(name) has \(census.transactions) transactions, not \(lines.count)"
      )
      expect(
        census.changes == changes.count && found == counts,
        "\(name) has the change counts \(found), not \(counts)"
      )
      expect(census.oddities == CensusOddities(), "\(name) has irregularities: \(census.oddities)")
      let kinds = census.entities.reduce(0) { $0 + $1.changes.all }
      expect(
        kinds == changes.count,
        "the entities of \(name) have \(kinds) changes together, not \(changes.count)"
      )
      for count in census.authors {
        guard case .known(let author) = count.name else { continue }
        let wanted = authors[author] ?? 0
        expect(
          count.transactions == wanted,
          "an author has \(count.transactions) transactions in \(name), not \(wanted)"
        )
      }
    }
  }

  /// Replaces a copy of the store by the store's newer content; must fail while the copy is open.
  mutating func replace(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let (path, source) = (folder.file("copy"), folder.file("original"))
    let original = try Store(path: source, configuration: configuration())
    try Store.replace(path: path, with: source)
    expect(
      !folder.names.contains("copy-replacement"),
      "a failed replacement left a file: \(folder.names)"
    )
    do {
      // A program that reads a file without a WAL holds a lock that connections of a store never hold.
      let raw = try RawFile(path)
      try raw.run("BEGIN; SELECT count(*) FROM sqlite_master")
      expect(.storeInUse, of: "to delete a store that another program reads") {
        () throws(HistoryError) in
        try Store.destroy(path: path)
      }
    }
    var id: StoreID?
    do {
      let copy = try Store(path: path, configuration: configuration())
      id = copy.id
      expect(copy.id != original.id, "a copy has the store ID of its source")
      expect(try history(copy) == lines, "the history of a copy differs from that of its source")
      expect(.storeInUse, of: "to replace an open store") { () throws(HistoryError) in
        try Store.replace(path: path, with: source)
      }
      expect(.storeInUse, of: "to delete an open store") { () throws(HistoryError) in
        try Store.destroy(path: path)
      }
      expect(.otherStore, of: "a fetch from a copy with a token of its source") {
        [token] () throws(HistoryError) in
        _ = try copy.fetch(HistoryRequest(after: token))
      }
    }
    try insert(into: original)
    try Store.replace(path: path, with: source)
    let copy = try Store(path: path, configuration: configuration())
    expect(copy.id != id && copy.id != original.id, "a replaced store has an old store ID")
    expect(
      try copy.currentToken().number == lines.count + 1,
      "a replaced store has its old history"
    )
  }
}
