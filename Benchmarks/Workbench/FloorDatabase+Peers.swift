import BenchmarkFloor

extension PeerKind {
  /// The peers that are measured, each with its name in results.
  static let all: [(kind: PeerKind, name: String)] = [
    (PEER_TRIGGERS, "SQL triggers"), session, (PEER_HISTORY_TABLE, "sqlite-history"),
  ]

  /// The peer whose reading is measured too.
  static let session: (kind: PeerKind, name: String) = (PEER_SESSION, "session extension")
}

extension FloorDatabase {
  /// Makes a peer record the writes to a table from now on.
  ///
  /// - Throws: ``FloorError`` when its tables cannot be created; a floor has one peer at most.
  func attach(_ peer: PeerKind, to table: String) throws(FloorError) {
    try check(peer_attach(floor, peer, table))
  }

  /// Applies changes to the table that the peer records, in one transaction.
  func apply(_ changes: [FloorChange], version: Int64) throws(FloorError) {
    let code = changes.withUnsafeBufferPointer { changes in
      changes.baseAddress.map { peer_apply(floor, $0, Int64(changes.count), version) } ?? 0
    }
    try check(code)
  }

  /// Fetches the peer's records after a transaction, and passes them to a closure.
  ///
  /// The memory is freed afterwards.
  func fetchRecorded<Result>(
    after number: Int64,
    _ body: (borrowing FloorPage) -> Result
  ) throws(FloorError) -> Result {
    var page = FloorPage()
    defer { floor_page_free(&page) }
    try check(peer_fetch(floor, number, &page))
    return body(page)
  }

  /// The number of the peer's newest recorded transaction.
  var lastRecorded: Int64 { peer_last(floor) }

  /// Deletes all records of the peer.
  func clearRecorded() throws(FloorError) { try check(peer_clear(floor)) }
}
