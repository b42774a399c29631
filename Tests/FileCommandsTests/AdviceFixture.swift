import Foundation
import HistoryInspection
import HistoryStore
import SQLiteStorage

@testable import FileCommands
@testable import HistoryLab

/// One transaction of a history that a test states.
struct StatedTransaction {
  let author: String?
  /// The time in days since 2001-01-01 UTC.
  let day: Double
  var changes = 1

  init(_ author: String?, _ day: Double, _ changes: Int = 1) {
    (self.author, self.day, self.changes) = (author, day, changes)
  }

  var seconds: Double { day * 86400 }
}

extension HistoryOutline {
  /// Creates an outline of stated transactions with 100 bytes for each change, from a number on.
  static func stated(_ transactions: [StatedTransaction], from first: Int64 = 1) -> HistoryOutline {
    var outline = HistoryOutline(layout: .coreData)
    for (index, transaction) in transactions.enumerated() {
      let name = transaction.author.map(CensusName.known) ?? .absent
      let place = outline.authors.firstIndex { $0.name == name } ?? outline.authors.count
      if place == outline.authors.count {
        let isMirror = transaction.author?.hasPrefix("NSCloudKitMirroringDelegate.") == true
        outline.authors.append(OutlineAuthor(name: name, isProtected: isMirror))
      }
      outline.append(
        first + Int64(index),
        timestamp: transaction.seconds,
        author: Int32(place),
        changes: transaction.changes,
        bytes: Double(transaction.changes) * 100
      )
    }
    let bytes = transactions.reduce(0) { $0 + Int64($1.changes) } * 100
    outline.storage.tables = [
      CensusStorage.Table(name: "ACHANGE", tableBytes: bytes, indexBytes: 0)
    ]
    outline.storage.pageBytes = 4096
    outline.storage.pageCount = bytes / 4096 + 10
    return outline
  }
}

/// A Core Data file of stated transactions, made by SQL.
enum AdviceFile {
  private static let schema = """
    PRAGMA auto_vacuum = INCREMENTAL;
    CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER,
      ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR);
    CREATE TABLE ATRANSACTIONSTRING(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZNAME VARCHAR);
    CREATE TABLE ACHANGE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
      ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
    CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
      Z_MAX INTEGER);
    CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE(ZTRANSACTIONID);
    INSERT INTO Z_PRIMARYKEY VALUES(1,'Note',0,2),(2,'Folder',0,1);
    INSERT INTO Z_METADATA VALUES(1,'\(store)',NULL);
    """
  static let store = "0C4B1F2E-5B1E-4C1C-9C58-5B8E0D8D1A11"

  /// Creates the file; every third change is of another entity, and every change an update.
  static func make(_ transactions: [StatedTransaction], at path: String) throws {
    let connection = try Connection(path: path)
    try connection.execute(schema)
    try connection.execute("BEGIN")
    var authors: [String] = []
    for (index, transaction) in transactions.enumerated() {
      if let author = transaction.author, !authors.contains(author) {
        authors.append(author)
        try connection.execute(
          "INSERT INTO ATRANSACTIONSTRING VALUES(\(authors.count), 16003, 1, '\(author)')"
        )
      }
      let place = transaction.author.flatMap(authors.firstIndex(of:)).map { "\($0 + 1)" } ?? "NULL"
      try connection.execute(
        "INSERT INTO ATRANSACTION(Z_PK, ZAUTHORTS, ZTIMESTAMP) VALUES(\(index + 1), \(place), "
          + "\(transaction.seconds))"
      )
      for change in 0..<transaction.changes {
        try connection.execute(
          "INSERT INTO ACHANGE(ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES(1, "
            + "\(change % 3 == 2 ? 2 : 1), 1, \(index + 1), x'80')"
        )
      }
    }
    try connection.execute("COMMIT")
  }

  /// Forty days of an app that writes daily, and a widget that was off from day 10 to day 30.
  static let fortyDays: [StatedTransaction] = (0..<40).flatMap { day -> [StatedTransaction] in
    let app = StatedTransaction("app", Double(day), day % 4 + 1)
    let isOff = (10..<30).contains(day)
    return isOff ? [app] : [app, StatedTransaction("widget", Double(day) + 0.5)]
  }
}

extension Advice {
  /// Returns the forecast of a purge.
  func forecast(_ plan: PurgePlan) -> PurgeForecast? { forecasts.first { $0.plan == plan } }
}
