package import HistoryStore

/// SQL that tests execute directly on a store, with the names of its layout.
extension HistoryLayout {
  /// The number of the transaction that a row of ``changeRows`` belongs to.
  package var changeTransaction: String {
    switch self {
    case .packed: "id >> 20"
    case .coreData: "ZTRANSACTIONID"
    }
  }

  /// Copies the first transaction under every number of a table `n(i)`.
  package var copyOfFirst: String {
    switch self {
    case .packed:
      """
      INSERT INTO history_transaction
      SELECT i, 1000 + i, 7, author, context, bundle, process, writer, count, entities, changes
      FROM n, history_transaction WHERE number = 1
      """
    case .coreData:
      """
      INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZTIMESTAMP)
      SELECT i, 16002, 7, ZAUTHORTS, 1000 + i FROM n, ATRANSACTION WHERE Z_PK = 1
      """
    }
  }

  /// Gives each of the first four transactions so many rows that no two fit into one purge chunk.
  package var manyRowsForFour: String {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < "
    return switch self {
    case .packed:
      numbers + "799) INSERT INTO history_chunk SELECT (1 + i / 200) << 20 | i % 200, x'01' FROM n"
    case .coreData:
      numbers + "19999) INSERT INTO ACHANGE(ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
        + "SELECT 0, 1, i, 1 + i / 5000 FROM n"
    }
  }

  /// Makes the changes of a transaction unreadable.
  package func damage(of number: Int64) -> String {
    switch self {
    case .packed: "UPDATE history_transaction SET changes = x'02' WHERE number = \(number)"
    case .coreData: "UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE ZTRANSACTIONID = \(number)"
    }
  }

  /// Creates a transaction without changes that otherwise equals another.
  package func emptyCopy(of number: Int64, as copy: Int64) -> String {
    switch self {
    case .packed:
      """
      INSERT INTO history_transaction SELECT \(copy), timestamp + 1, mark, author, context, bundle,
        process, writer, 0, 0, x'01' FROM history_transaction WHERE number = \(number)
      """
    case .coreData:
      """
      INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZTIMESTAMP)
      SELECT \(copy), 16002, Z_OPT, ZAUTHORTS, ZTIMESTAMP + 1 FROM ATRANSACTION WHERE Z_PK = \(number)
      """
    }
  }

  /// Adds a string with a number.
  package func insertString(_ number: Int, _ text: String) -> String {
    switch self {
    case .packed: "INSERT INTO history_string VALUES(\(number), '\(text)')"
    case .coreData: "INSERT INTO ATRANSACTIONSTRING VALUES(\(number), 16003, NULL, '\(text)')"
    }
  }
}
