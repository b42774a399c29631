import BenchmarkFloor

extension PeerKind {
  /// The peers that are measured, each with its name in results.
  static let all: [(kind: PeerKind, name: String)] = [
    (PEER_TRIGGERS, "SQL triggers"), session, (PEER_HISTORY_TABLE, "sqlite-history"),
  ]

  /// The one whose reading is measured too.
  static let session: (kind: PeerKind, name: String) = (PEER_SESSION, "session extension")
}

extension FloorDatabase {
  /// Lets a peer record what is written into a table from now on.
  ///
  /// - Throws: ``FloorError`` when its tables cannot be made; a floor has one peer at most.
  func attach(_ peer: PeerKind, to table: String) throws(FloorError) {
    try check(peer_attach(floor, peer, table))
  }

  /// Makes changes to the table that the peer records, as one transaction.
  func apply(_ changes: [FloorChange], version: Int64) throws(FloorError) {
    let code = changes.withUnsafeBufferPointer { changes in
      changes.baseAddress.map { peer_apply(floor, $0, Int64(changes.count), version) } ?? 0
    }
    try check(code)
  }

  /// Fetches what the peer has recorded after a transaction, lends it to a closure and frees it.
  func fetchRecorded<Result>(
    after number: Int64,
    _ body: (borrowing FloorPage) -> Result
  ) throws(FloorError) -> Result {
    var page = FloorPage()
    defer { floor_page_free(&page) }
    try check(peer_fetch(floor, number, &page))
    return body(page)
  }

  /// The number of the transaction that the peer recorded last.
  var lastRecorded: Int64 { peer_last(floor) }

  /// Forgets all that the peer has recorded.
  func clearRecorded() throws(FloorError) { try check(peer_clear(floor)) }
}
