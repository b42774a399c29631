import Foundation
import HistoryInspection
import HistoryStore
import Testing

@testable import Commands
@testable import FileCommands

@Suite struct InspectRenderingTests {
  private static var census: HistoryCensus {
    var census = HistoryCensus(layout: .coreData)
    census.storage.fileBytes = 204_800
    census.storage.pageBytes = 4096
    census.storage.pageCount = 50
    census.storage.freePageCount = 3
    census.storage.tables = [
      .init(name: "ATRANSACTION", tableBytes: 4096, indexBytes: 24_576),
      .init(name: "ACHANGE", tableBytes: 40_960, indexBytes: 8192),
    ]
    census.transactions = 4
    census.changes = 8
    census.strings = 3
    (census.types.inserts, census.types.updates, census.types.deletes) = (2, 5, 1)
    census.span = 593_881_375.201192...593_967_775.201192
    for size in [1, 1, 6, 0] { census.changesPerTransaction.add(Int64(size)) }
    for gap in [0.5, 0, 86_399.5] {
      census.gaps.add(Int64(gap * 1e6))
      census.gapBands.add(gap)
      census.bursts.add(gap: gap)
    }
    census.bursts.finish()
    census.ties = 1
    var app = AuthorCount(name: .known("app"))
    (app.transactions, app.changes) = (3, 2)
    var absent = AuthorCount(name: .absent)
    (absent.transactions, absent.changes) = (1, 6)
    census.authors = [app, absent]
    census.entities = [
      EntityCount(name: .known("Note"), changes: census.types),
      EntityCount(name: .number(7), changes: ChangeCounts()),
    ]
    return census
  }

  private static func text(
    width: Int? = nil,
    _ change: (inout HistoryCensus) -> Void = { _ in }
  ) -> String {
    var census = census
    change(&census)
    var rendering = InspectRendering(path: "a.sqlite", census: census)
    rendering.width = width
    return rendering.text()
  }

  @Test(arguments: [40, 60, 80])
  func `No line of the text exceeds the terminal's width`(width: Int) {
    let text = Self.text(width: width) { census in
      census.authors.append(AuthorCount(name: .known(String(repeating: "author ", count: 9))))
    }
    for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
    #expect(text.contains("transactions"))
  }

  @Test func `Tables that are too wide become lists`() {
    let text = Self.text(width: 40)
    #expect(text.contains("\nentities:\n"), "\(text)")
    #expect(text.contains("\n    changes: "), "\(text)")
  }

  @Test func `The text shows everything in aligned columns`() {
    #expect(
      Self.text() == """
        a.sqlite: a Core Data file

        transactions  4          2019-10-27T15:02:55.201Z to 2019-10-28T15:02:55.201Z, 1.0 days
        changes       8          2 inserts (25.0 %), 5 updates (62.5 %), 1 delete (12.5 %)
        strings       3          authors, contexts, bundles and processes
        file          200.0 KiB  50 pages of 4.0 KiB, 3 of them free
        history       76.0 KiB   38.0 % of the pages, 19456 bytes a transaction

        bytes            table   indexes
        ATRANSACTION   4.0 KiB  24.0 KiB
        ACHANGE       40.0 KiB   8.0 KiB

        changes per transaction: mean 2.0, p50 1, p90 6, p99 6, most 6; 1 transaction has none
          0    1  ####################
          1    2  ########################################
          4-6  1  ####################

        time between transactions: p50 501.8 ms, p90 24.0 h, p99 24.0 h, longest 24.0 h; 1 tie, 0 steps back
        bursts (at most 1.0 s apart): 1 with 75.0 % of the transactions, p50 3, longest 3
          up to 2 ms    1  ########################################
          up to 10 ms   0
          up to 100 ms  0
          up to 1 s     1  ########################################
          up to 10 s    0
          up to 1 min   0
          up to 10 min  0
          up to 1 h     0
          up to 1 day   1  ########################################
          longer        0

        authors  transactions   share  changes
        app                 3  75.0 %        2
        (none)              1  25.0 %        6

        entities  changes  inserts  updates  deletes
        Note            8        2        5        1
        #7              0        0        0        0
        """
    )
  }

  @Test func `An empty history shows only the summary table`() {
    let empty = InspectRendering(path: "a.db", census: HistoryCensus(layout: .packed)).text()
    #expect(
      empty == """
        a.db: a store of this library, packed layout

        transactions  0             none has a time
        changes       0             0 inserts (0.0 %), 0 updates (0.0 %), 0 deletes (0.0 %)
        strings       0             authors, contexts, bundles and processes
        file          0 bytes       0 pages of 0 bytes, 0 of them free
        history       not measured  this SQLite is built without dbstat
        """
    )
  }

  @Test func `Ten authors are shown, with the number of the others`() {
    let text = Self.text { census in
      census.authors = (1...13).map { AuthorCount(name: .known("author \($0)")) }
    }
    #expect(text.contains("\nauthor 10  "))
    #expect(!text.contains("author 11"))
    #expect(text.contains("\nand 3 more\n"))
  }

  @Test func `Purged transactions, the log and irregularities are reported`() {
    let text = Self.text { census in
      census.purgedTransactions = 9
      census.storage.logBytes = 4_128_272
      census.types.others = 2
      census.oddities.orphanChanges = 5
      census.oddities.unknownAuthors = 1
    }
    #expect(text.contains("1.0 days; 9 more are purged and wait to be deleted\n"))
    #expect(text.contains("3 of them free, and a log of 3.9 MiB\n"))
    #expect(text.contains("1 delete (12.5 %), 2 of an unknown type\n"))
    #expect(
      text.hasSuffix(
        """


        Inconsistencies:
          5 changes without a transaction
          1 transaction with an author that is not among the strings
        """
      )
    )
  }

  @Test func `A name can neither control a terminal nor break a column`() {
    let text = Self.text { census in
      let names = ["\u{1b}[2J\nlie", String(repeating: "x", count: 61), "\u{202e}tfel"]
      census.authors = names.map { AuthorCount(name: .known($0)) }
    }
    #expect(text.contains("\n\\u{1b}[2J\\u{a}lie  "))
    #expect(text.contains("\n" + String(repeating: "x", count: 57) + "...  "))
    #expect(text.contains("\n\\u{202e}tfel  "))
  }

  @Test func `The report shows the transactions that a purge would delete and keep`() {
    func lines(_ purge: PurgeEstimate) -> String {
      Self.text { $0.purge = purge }.split(separator: "\n\n")[2].description
    }
    #expect(
      lines(PurgeEstimate(bound: .number(3))) == """
        A purge of transactions before #3 would delete
          0 transactions (0.0 %) with 0 changes
        """
    )
    let time = 593_881_375.201192
    #expect(
      lines(PurgeEstimate(bound: .days(1.5), timestamp: time)).hasPrefix(
        "A purge of transactions older than 1.5 days (before 2019-10-27T15:02:55.201Z) would delete\n"
      )
    )
    #expect(
      lines(PurgeEstimate(bound: .timestamp(time), timestamp: time)).hasPrefix(
        "A purge of transactions before 2019-10-27T15:02:55.201Z would delete\n"
      )
    )
  }

  @Test func `Unknown and missing tables are reported`() {
    let text = Self.text { census in
      census.unknownTables = ["a\u{1b}b", "c"]
      census.missingTables = ["Z_METADATA"]
    }
    #expect(text.hasSuffix("\n\nunknown tables: a\\u{1b}b, c\nmissing tables: Z_METADATA"))
  }

  @Test func `JSON has every number and all authors`() throws {
    let json = try InspectRendering(path: "a.sqlite", census: Self.census).json()
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    )
    #expect(object["census"] as? Int == 1)
    #expect(object["layout"] as? String == "coreData")
    #expect(object["transactions"] as? Int == 4)
    #expect(object["changes"] as? Int == 8)
    #expect(object["historyBytes"] as? Int == 77_824)
    let span = try #require(object["span"] as? [String: Any])
    #expect(span["first"] as? Double == 593_881_375.201192)
    #expect(span["lastDate"] as? String == "2019-10-28T15:02:55.201Z")
    let authors = try #require(object["authors"] as? [[String: Any]])
    #expect(authors.map { $0["name"] as? String } == ["app", nil])
    #expect(authors.map { $0["changes"] as? Int } == [2, 6])
    let gaps = try #require(object["secondsBetweenTransactions"] as? [String: Any])
    #expect(gaps["most"] as? Double == 86_399.5)
    #expect(object["ties"] as? Int == 1)
  }

  @Test func `Changes of the model are counted in every format`() throws {
    var census = Self.census
    var migrator = AuthorCount(name: .known("com.apple.coredata.schemamigrator"))
    migrator.transactions = 2
    census.authors.append(migrator)
    let rendering = InspectRendering(path: "a.sqlite", census: census)
    let object = try JSONSerialization.jsonObject(with: Data(rendering.json().utf8))
    #expect((object as? [String: Any])?["migrations"] as? Int == 2)
    #expect(rendering.csv().contains("\nfile,a.sqlite,migrations,2\n"))
    #expect(rendering.text().contains("transactions that changed the model"))
  }

  @Test func `CSV has four cells a line, quoted where needed`() {
    var census = Self.census
    census.authors = [AuthorCount(name: .known("a \"b\",\nc"))]
    census.storage.tables = nil
    let csv = InspectRendering(path: "a.sqlite", census: census).csv()
    #expect(csv.hasPrefix("section,name,measure,value\nfile,a.sqlite,layout,coreData\n"))
    #expect(csv.contains("\nfile,a.sqlite,transactions,4\n"))
    #expect(csv.contains("\nfile,a.sqlite,historyBytes,\n"))
    #expect(csv.contains("\nfile,a.sqlite,first,2019-10-27T15:02:55.201Z\n"))
    #expect(csv.contains("\nchangesPerTransaction,6-6,transactions,1\n"))
    #expect(csv.contains("\nsecondsBetweenTransactionsUpTo,86400.0,transactions,1\n"))
    #expect(csv.contains("\nauthor,\"a \"\"b\"\",\nc\",transactions,0\n"))
    #expect(csv.contains("\nentity,Note,updates,5\n"))
    let whole = csv.replacing("\"a \"\"b\"\",\nc\"", with: "abc")
    #expect(whole.split(separator: "\n").allSatisfy { $0.count { $0 == "," } == 3 })
  }

  @Test func `Sizes and times have readable units`() {
    let sizes: [Int64] = [0, 1, 1023, 1024, 1_572_864, 1 << 40]
    let sizeWords = ["0 bytes", "1 byte", "1023 bytes", "1.0 KiB", "1.5 MiB", "1.0 TiB"]
    #expect(sizes.map(InspectUnits.size) == sizeWords)
    let times: [Double] = [0.000_316, 0.0021, 3.4, 90, 5400, 302_400]
    let timeWords = ["316 us", "2.1 ms", "3.4 s", "1.5 min", "1.5 h", "3.5 days"]
    #expect(times.map(InspectUnits.duration) == timeWords)
    #expect(InspectUnits.percent(1, of: 3) == "33.3 %")
    #expect(InspectUnits.percent(0, of: 0) == "0.0 %")
  }

  @Test func `Infinite and NaN numbers and dates are shown`() {
    #expect(InspectUnits.date(0) == "2001-01-01T00:00:00.000Z")
    #expect(InspectUnits.date(1e300) == "1e+300 s after 2001-01-01")
    #expect(InspectUnits.date(-1e300) == "-1e+300 s after 2001-01-01")
    #expect(InspectUnits.date(252_423_993_599).hasPrefix("9999-12-31T23:59:59"))
    #expect(InspectUnits.date(-12_622_780_800) == "1601-01-01T00:00:00.000Z")
    #expect(InspectUnits.date(-63_113_904_001) == "-63113904001.0 s after 2001-01-01")
    #expect(InspectUnits.duration(1e300).hasSuffix("e+295 days"))
    #expect(InspectUnits.fixed(-0.25) == "-0.3")
  }
}
