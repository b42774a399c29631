import SQLiteStorage

/// One transaction of a history that a test states.
package struct StatedTransaction {
  package let author: String?
  /// The time in days since 2001-01-01 UTC.
  package let day: Double
  package var changes = 1

  package init(_ author: String?, _ day: Double, _ changes: Int = 1) {
    (self.author, self.day, self.changes) = (author, day, changes)
  }

  package var seconds: Double { day * 86400 }
}

/// A Core Data file of stated transactions, made by SQL.
package enum AdviceFile {
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
  package static let store = "0C4B1F2E-5B1E-4C1C-9C58-5B8E0D8D1A11"

  /// Creates the file; every third change is of another entity, and every change an update.
  package static func make(_ transactions: [StatedTransaction], at path: String) throws {
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
  package static let fortyDays: [StatedTransaction] = (0..<40).flatMap {
    day -> [StatedTransaction] in
    let app = StatedTransaction("app", Double(day), day % 4 + 1)
    let isOff = (10..<30).contains(day)
    return isOff ? [app] : [app, StatedTransaction("widget", Double(day) + 0.5)]
  }
}
