public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Registers a new member at the newest transaction, or resumes an active one at its cursor.
  ///
  /// Each call starts a new launch: calls with a registration of an earlier launch fail from then
  /// on. Read the data after this call: a transaction that is committed between an earlier read and
  /// the call would be missed.
  ///
  /// A member that a purge has cut off can join only with `resyncingIfLost`. The caller must then
  /// read its data again, and the member starts at the newest transaction, as at its first launch.
  /// A new member may import the date that PersistentHistoryTrackingKit stored for its author
  /// (`cursors`). The member then starts after the newest transaction that is certainly merged
  /// according to that date.
  ///
  /// While the process keeps the registration, the member counts as running: a lock makes another
  /// call of this method or of ``forget(_:)`` for the member throw (see
  /// ``StoreConfiguration/memberLocks``). To replace a registration of the same member in this
  /// process, pass it as `previous`: the new registration takes over its lock.
  ///
  /// - Parameters:
  ///   - member: The name of the member, which only one process at a time may use.
  ///   - kind: The kind of the member. The default is ``MemberKind/tracker``.
  ///   - author: The author that the member writes under. The default `nil` declares none.
  ///   - resyncingIfLost: Whether a member that was cut off joins again. The default is `false`.
  ///   - declared: The configuration to record in the registry. The default declares no property.
  ///   - cursors: The dates of PersistentHistoryTrackingKit. The default `nil` imports none.
  ///   - previous: The registration whose lock is taken over. The default `nil` takes a new lock.
  /// - Returns: The registration, with the cursor after which the member continues.
  /// - Throws: ``HistoryError/Code/inUse`` while the member runs in another process, or in this
  ///   process under a registration that is not taken over; ``HistoryError/Code/lost`` if the
  ///   member was cut off and `resyncingIfLost` is `false`. In these cases the registry is not
  ///   changed.
  /// - Complexity: one write of one row, and two system calls for the lock.
  public func join(
    _ member: MemberID,
    kind: MemberKind = .tracker,
    author: String? = nil,
    resyncingIfLost: Bool = false,
    declaring declared: MemberConfiguration = MemberConfiguration(),
    importing cursors: KitCursors? = nil,
    takingOver previous: Registration? = nil
  ) throws(HistoryError) -> Registration {
    guard configuration.tracksHistory else { throw .untracked(path: path) }
    guard !isForReading else { throw .openForReading(path: path) }
    var arrival = Arrival(member: member, kind: kind, author: author, declared: declared)
    arrival.declared.protectedAuthors = configuration.protectedAuthors
    if model.version > 1 { arrival.declared.modelVersion = model.version }
    arrival.cursors = cursors
    arrival.resyncsIfLost = resyncingIfLost
    let hold = try hold(member, takenFrom: previous)
    return try lockedHistory { core in try core.write { try core.join(arrival) } }.with(hold: hold)
  }

  /// Acquires a member's lock, and returns a copy of the member's registration with the lock.
  ///
  /// The given registration has no lock: ``Registration/released`` returned it.
  package func holding(_ registration: Registration) throws(HistoryError) -> Registration {
    registration.with(hold: try hold(registration.member, takenFrom: nil))
  }

  private func hold(
    _ member: MemberID,
    takenFrom previous: Registration?
  ) throws(HistoryError) -> MemberHold? {
    if let hold = previous?.held.hold, previous?.member == member { return hold }
    switch memberHolds.add(member, { configuration.memberLocks.take(member, self) }) {
    case .held(let hold): return hold
    case .taken(let processID): throw .inUse(member, processID: processID)
    case .unknown: return nil
    }
  }

  /// Records the position through which a member has merged; ignores positions before its cursor.
  ///
  /// - Parameters:
  ///   - registration: The member's current registration.
  ///   - cursor: The last position that the member has merged, such as
  ///     ``HistoryPage/scannedThrough``.
  /// - Throws: ``HistoryError/Code/superseded``, ``HistoryError/Code/lost`` or
  ///   ``HistoryError/Code/notAMember`` if the registration is not valid;
  ///   ``HistoryError/Code/rewound`` or ``HistoryError/Code/otherStore`` if `cursor` is from a
  ///   different history. In these cases the registry is not changed.
  /// - Complexity: one write of one row.
  public func record(
    _ registration: Registration,
    through cursor: HistoryToken
  ) throws(HistoryError) {
    try lockedHistory { core in
      try core.observed {
        try core.write {
          try core.checkIsOurs(cursor)
          try core.record(registration, through: cursor)
          core.reportToObserver(MemberWrite(member: registration.member, cursor: cursor))
        }
      }
    }
  }

  /// Ends a membership: history is no longer kept for the member.
  ///
  /// A member that a purge has cut off may retire too.
  ///
  /// - Throws: ``HistoryError/Code/superseded`` or ``HistoryError/Code/notAMember``; the registry is not
  ///   changed then.
  /// - Complexity: one write of one row.
  public func retire(_ registration: Registration) throws(HistoryError) {
    try lockedHistory { core in
      try core.write {
        try core.validate(registration, mayBeLost: true)
        try core.setState(.retired, of: registration.member)
      }
    }
  }

  /// Moves a member's cursor to the newest transaction; the caller must read its data again.
  ///
  /// A lost member becomes active again.
  ///
  /// - Returns: The registration at the newest transaction. The member gets no history up to and
  ///   including that transaction.
  /// - Throws: ``HistoryError/Code/superseded`` or ``HistoryError/Code/notAMember``; the registry is not
  ///   changed then.
  /// - Complexity: one query and one write of one row.
  public func resync(_ registration: Registration) throws(HistoryError) -> Registration {
    try lockedHistory { core in
      try core.write {
        try core.validate(registration, mayBeLost: true)
        let cursor = try core.headToken()
        try core.move(registration, to: cursor)
        return Registration(
          member: registration.member,
          epoch: registration.epoch,
          cursor: cursor,
          isNew: false,
          hold: registration.held.hold
        )
      }
    }
  }

  /// Removes a member from the registry, for a member that will never run again.
  ///
  /// History is no longer kept for the member, and its next launch counts as its first. Use this
  /// method manually, for an app that was removed or a consumer that is no longer run.
  ///
  /// - Returns: whether the registry contained the member.
  /// - Throws: ``HistoryError/Code/inUse`` while the member runs in this or another process.
  /// - Complexity: one write of one row, and two system calls for the lock.
  public func forget(_ member: MemberID) throws(HistoryError) -> Bool {
    guard configuration.tracksHistory else { throw .untracked(path: path) }
    guard !isForReading else { throw .openForReading(path: path) }
    let hold = try hold(member, takenFrom: nil)
    return try withExtendedLifetime(hold) { () throws(HistoryError) in
      try lockedHistory { core in try core.write { try core.remove(member) } }
    }
  }

  /// Returns all members in the registry, active or not, sorted by name.
  ///
  /// - Throws: ``HistoryError/Code/damaged`` when the registry is invalid.
  /// - Complexity: two queries per member, and one visit to each transaction that the slowest
  ///   member has not merged.
  public func members() throws(HistoryError) -> [Member] {
    try lockedHistory { core in try core.read { try core.members() } }
  }

  /// Returns the differences between the declared configurations of the active members.
  ///
  /// Members may ignore different authors; such a difference is not returned.
  ///
  /// - Throws: ``HistoryError/Code/damaged`` when the registry is invalid.
  /// - Complexity: that of ``members()``.
  public func configurationDifferences() throws(HistoryError) -> [ConfigurationDifference] {
    let members = try members().filter { $0.state == .active }
    return Self.differences(members) + Self.mistakenBatchAuthors(members)
  }

  private static func differences(_ members: [Member]) -> [ConfigurationDifference] {
    ConfigurationDifference.Subject.allCases.compactMap { subject in
      var statements: [MemberID: String] = [:]
      for member in members { statements[member.id] = member.configuration.statement(on: subject) }
      guard Set(statements.values).count > 1 else { return nil }
      return ConfigurationDifference(subject: subject, statements: statements)
    }
  }

  /// Returns the differences about members whose author is a batch author of another member.
  ///
  /// A member expects its batch authors to write and never to merge. If several members list the
  /// author, each of them yields a difference.
  private static func mistakenBatchAuthors(_ members: [Member]) -> [ConfigurationDifference] {
    var found: [ConfigurationDifference] = []
    for member in members {
      guard let author = member.author else { continue }
      for other in members
      where other.id != member.id && other.configuration.batchAuthors?.contains(author) == true {
        found.append(
          ConfigurationDifference(
            subject: .batchAuthorIsMember,
            statements: [
              member.id: "that it merges under the author \"\(author)\"",
              other.id: "that \"\(author)\" only writes",
            ]
          )
        )
      }
    }
    return found
  }
}

extension MemberConfiguration {
  /// Returns a setting as text; equal settings have equal texts.
  ///
  /// `nil` if the member did not declare the setting. Also `nil` for `batchAuthorIsMember`, which
  /// is a contradiction between two members, not a setting of one.
  fileprivate func statement(on subject: ConfigurationDifference.Subject) -> String? {
    switch subject {
    case .authors: authors.map(Self.list)
    case .batchAuthors: batchAuthors.map(Self.list)
    case .strategy: strategy
    case .retention: retention?.description
    case .protectedAuthors: protectedAuthors.map { Self.list(Set($0)) }
    case .batchAuthorIsMember: nil
    }
  }

  private static func list(_ names: Set<String>) -> String {
    names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
  }
}

extension RetentionLimits: CustomStringConvertible {
  /// The limits as text, such as `at most 60.0 s, 5 transactions`.
  public var description: String {
    let limits = [
      age.map { "\($0.inSeconds) s" }, transactionCount.map { $0.counted("transaction") },
      byteCount.map { Int($0).counted("byte") },
    ].compactMap(\.self)
    return limits.isEmpty ? "no limit" : "at most " + limits.joined(separator: ", ")
  }
}

extension Store {
  /// Fetches one page of history for a member as ``fetch(_:)`` does, if its registration is valid.
  ///
  /// A member that a purge has cut off gets an error, even if the history that it needs
  /// still exists.
  ///
  /// - Throws: ``HistoryError/Code/lost``, ``HistoryError/Code/superseded`` or
  ///   ``HistoryError/Code/notAMember``, and the errors of a fetch.
  /// - Complexity: that of a fetch, and one query of one row.
  public func fetch(
    _ request: HistoryRequest,
    by registration: Registration
  ) throws(HistoryError) -> HistoryPage {
    try lockedHistory { core in
      try core.read {
        try core.validate(registration)
        return try core.fetch(request)
      }
    }
  }

  /// Passes new history to a consumer page by page, and records its cursor after each page.
  ///
  /// For a page without transactions, the closure is not called, but the scanned position is
  /// recorded. If the process terminates before the cursor is recorded, the consumer gets the same
  /// page again: delivery is at least once. Retention limits never cut a consumer off: history that
  /// it has not consumed is kept as long as it is a member. End the membership of an unused
  /// consumer with ``retire(_:)`` or ``forget(_:)``.
  ///
  /// ```swift
  /// let mirror = try store.join("mirror", kind: .consumer)
  /// try store.consume(mirror) { page in try upload(page.changes) }
  /// ```
  ///
  /// - Parameters:
  ///   - registration: The registration of the consumer.
  ///   - filter: The condition on the passed transactions and changes. The default `nil` passes all.
  ///   - pageTransactionCountMax: The maximum number of transactions on a page. The default is 1000.
  ///   - body: The closure, called with each page that contains transactions.
  /// - Returns: the recorded position.
  /// - Throws: ``HistoryError/Code/stopped`` when the closure throws, and the errors of fetching and
  ///   recording. The cursor then stays at the last recorded page.
  /// - Complexity: linear in the new history, and one small write per page.
  @discardableResult
  public func consume(
    _ registration: Registration,
    filter: HistoryFilter? = nil,
    pageTransactionCountMax: Int = 1000,
    _ body: (HistoryPage) throws -> Void
  ) throws(HistoryError) -> HistoryToken {
    var position = try recordedCursor(of: registration)
    var hasMore = true
    while hasMore {
      let request = HistoryRequest(
        after: position,
        filter: filter,
        transactionCountMax: pageTransactionCountMax
      )
      let page = try fetch(request, by: registration)
      if !page.transactions.isEmpty { try run(body, page) }
      if page.scannedThrough != position {
        try record(registration, through: page.scannedThrough)
      }
      hasMore = page.hasMore && page.scannedThrough != position
      position = page.scannedThrough
    }
    return position
  }

  /// Returns the position that a member has recorded, in this process or an earlier one.
  ///
  /// - Throws: the errors of ``fetch(_:by:)``.
  /// - Complexity: one query of one row.
  public func recordedCursor(of registration: Registration) throws(HistoryError) -> HistoryToken {
    try lockedHistory { core in
      let row = try core.validate(registration)
      return HistoryToken(store: core.id, number: row.cursor, mark: row.mark)
    }
  }

  private func run(
    _ body: (HistoryPage) throws -> Void,
    _ page: HistoryPage
  ) throws(HistoryError) {
    do {
      try body(page)
    } catch {
      throw HistoryError(error)
    }
  }
}
