import HistoryStore
import HistoryTypes
import SQLiteStorage

/// A store file with any bytes is read, or refused with a message; no row is skipped silently.
extension FuzzTarget {
  static let blob = FuzzTarget(
    "blob",
    "Packed changes of a transaction: read, or reported as damage of that very transaction."
  ) {
    let file = try FuzzStore()
    let store = try file.open()
    return { bytes in
      let count = bytes.first.map(Int.init) ?? 0
      try file.connection().execute(
        "UPDATE history_transaction SET count = \(count), "
          + "changes = CAST(\(literal(bytes.dropFirst())) AS BLOB) WHERE number = 2"
      )
      try readOrTell(store, damaged: 2)
    }
  }

  static let row = FuzzTarget(
    "row",
    "Values in a row of Core Data's tables: read, or reported as damage of the row's transaction."
  ) {
    let file = try FuzzStore(layout: .coreData)
    let store = try file.open()
    let columns = [
      "ZENTITY", "ZENTITYPK", "ZCHANGETYPE", "ZCOLUMNS", "ZTOMBSTONE0", "ZTOMBSTONE1",
    ]
    try file.connection().execute("CREATE TABLE kept AS SELECT * FROM ACHANGE")
    return { bytes in
      let connection = try file.connection()
      for part in bytes.split(separator: UInt8(ascii: ";"), maxSplits: 7) {
        guard let first = part.first else { continue }
        try connection.execute(
          "UPDATE ACHANGE SET \(columns[Int(first) % columns.count]) = "
            + "\(value(part.dropFirst())) WHERE ZTRANSACTIONID = 2"
        )
      }
      try readOrTell(store, damaged: 2)
      try connection.execute(
        "DELETE FROM ACHANGE; INSERT INTO ACHANGE SELECT * FROM kept"
      )
    }
  }

  /// Reads all of history; only the damaged transaction may be reported as damaged.
  private static func readOrTell(_ store: Store, damaged: Int64) throws {
    do {
      let page = try store.fetch(HistoryRequest(after: nil))
      page.readAll()
      try expect(
        page.transactions.map(\.number) == [1, 2, 3],
        "read are \(page.transactions.map(\.number)) of three transactions"
      )
    } catch let error as HistoryError {
      try expect(
        error == .damagedTransaction(damaged),
        "transaction \(damaged) is damaged, but the error is: \(error)"
      )
    }
    _ = try answered { () throws(HistoryError) in try store.verify() }
  }

  /// Some bytes as a value in SQL: null, a number, text or a blob, depending on the first.
  private static func value(_ bytes: ArraySlice<UInt8>) -> String {
    let rest = bytes.dropFirst()
    switch bytes.first.map({ $0 % 5 }) {
    case 1: return "\(rest.reduce(Int64(0)) { $0 << 8 | Int64($1) })"
    case 2: return real(rest.reduce(0.5) { $0 * 256 + Double($1) })
    case 3: return "CAST(\(literal(rest)) AS TEXT)"
    case 4: return literal(rest)
    default: return "NULL"
    }
  }

  /// SQL has no word for infinity.
  private static func real(_ value: Double) -> String { value.isFinite ? "\(value)" : "9e999" }

  private static func literal(_ bytes: ArraySlice<UInt8>) -> String {
    "x'" + bytes.map { String(256 + Int($0), radix: 16).dropFirst() }.joined() + "'"
  }
}
