import HistoryInspection
import HistoryStore

/// A reader of history, with the position through which the reader has merged, if it is known.
struct Consumer: Sendable, Hashable {
  /// The position through which a consumer has merged.
  enum Position: Sendable, Hashable {
    /// The consumer has merged every transaction through this number.
    case number(Int64)
    /// The consumer has merged every transaction up to this time (seconds since 2001-01-01 UTC).
    case date(Double)
    /// It is not known which transactions the consumer has merged.
    case unknown
  }

  /// The place in which a consumer was found.
  enum Source: Sendable, Hashable {
    /// The registry of members in the store; a Core Data file has none.
    case registry(MemberState)
    /// The file of cursors that the user gave.
    case file
    /// The tables or authors of a CloudKit mirror in the store.
    case mirror
  }

  let name: String
  let source: Source
  var position: Position
  /// The time when a member last registered, launched, resynced or recorded its position.
  ///
  /// For a consumer from the `--cursors` file, the time is the timestamp of the newest transaction
  /// by the consumer's author. Times are in seconds since 2001-01-01 UTC; `nil` if unknown.
  var seen: Double?
  /// The author under which the consumer writes; the default is the consumer's name.
  var author: String

  init(
    _ name: String,
    _ source: Source = .file,
    at position: Position,
    seen: Double? = nil,
    author: String? = nil
  ) {
    self.name = name
    self.source = source
    self.position = position
    self.seen = seen
    self.author = author ?? name
  }

  /// Whether history must be kept for the consumer; `false` for members that retired or were cut
  /// off.
  var isActive: Bool {
    guard case .registry(let state) = source else { return true }
    return state == .active
  }

  var isKnown: Bool { position != .unknown }

  /// Whether the consumer is registered in a store of this library, whose purges wait for it.
  var isMember: Bool { if case .registry = source { true } else { false } }

  /// Whether the consumer is the CloudKit mirror.
  var isMirror: Bool {
    source == .mirror || AuthorPatterns.match(name, [AuthorPatterns.cloudKitMirror])
  }

  /// Returns whether the consumer has merged a transaction; `false` if its position is unknown.
  @inline(__always)
  func hasMerged(_ number: Int64, _ timestamp: Double) -> Bool {
    switch position {
    case .number(let last): number <= last
    case .date(let date): timestamp <= date
    case .unknown: false
    }
  }
}

extension Consumer {
  /// The consumer name for a CloudKit mirror that uses the store but is missing in `--cursors`.
  static let mirrorName = "CloudKit mirror"

  /// Returns the consumers of a history: members, consumers of `--cursors`, and a CloudKit mirror.
  ///
  /// - Complexity: one visit to each transaction.
  static func all(of outline: HistoryOutline, and given: [Consumer]) -> [Consumer] {
    let members = (outline.members ?? []).map { member in
      Consumer(
        member.name,
        .registry(member.state),
        at: .number(member.cursor),
        seen: member.seen,
        author: member.author
      )
    }
    let isMirrored = outline.hasMirrorTables || outline.authors.contains(where: \.isMirror)
    let lacksMirror = isMirrored && !outline.isOurs && !given.contains(where: \.isMirror)
    return members + seen(given, in: outline)
      + (lacksMirror ? [Consumer(mirrorName, .mirror, at: .unknown)] : [])
  }

  /// Returns the consumers, each with the time of the newest transaction that its author wrote.
  private static func seen(_ given: [Consumer], in outline: HistoryOutline) -> [Consumer] {
    guard !given.isEmpty else { return [] }
    var newest: [Double?] = Array(repeating: nil, count: outline.authors.count)
    for (author, timestamp) in zip(outline.authorIndexes, outline.timestamps)
    where timestamp.isFinite {
      newest[Int(author)] = timestamp
    }
    return given.map { consumer in
      var consumer = consumer
      let author = outline.authors.firstIndex { $0.name == .known(consumer.author) }
      consumer.seen = consumer.seen ?? author.flatMap { newest[$0] }
      return consumer
    }
  }
}

extension OutlineAuthor {
  /// The beginning of the author under which Core Data itself migrates a store.
  private static let migrator = "com.apple.coredata.schemamigrator*"

  /// The author's name if the author may read history as well as write it; otherwise `nil`.
  ///
  /// The result is `nil` for a missing or unknown name, for the author under which Core Data
  /// migrates stores, and for protected authors. A CloudKit mirror is a protected author; it is
  /// listed as a separate consumer.
  var readerName: String? {
    guard case .known(let name) = name, !isProtected else { return nil }
    return AuthorPatterns.match(name, [Self.migrator]) ? nil : name
  }
}

/// The position of a consumer in a history, and the history that it has not merged.
struct ConsumerStatus: Sendable, Hashable {
  let consumer: Consumer
  /// The number of kept transactions that the consumer has not merged; `nil` if unknown.
  var lagTransactions: Int?
  /// The number of changes in the transactions that the consumer has not merged; `nil` if unknown.
  var lagChanges: Int?
  /// The seconds from the oldest unmerged transaction to the newest transaction of the history;
  /// `nil` if all are merged.
  var lagSeconds: Double?
  /// Whether the consumer has lost changes.
  ///
  /// Either history after its position is purged, or the member has the state `lost`.
  var isCutOff = false
  /// Whether the consumer is the furthest behind; a purge beyond its position would lose changes.
  ///
  /// In a store of this library, only active members count. Purges of such a store wait for them.
  var holdsBack = false

  /// Computes how far a consumer is behind in a history.
  ///
  /// - Complexity: one visit to each transaction.
  init(_ consumer: Consumer, in history: PastHistory) {
    self.consumer = consumer
    if case .registry(.lost) = consumer.source { isCutOff = true }
    guard consumer.isKnown, consumer.isActive else { return }
    let outline = history.outline
    var (transactions, changes) = (0, 0)
    var oldest: Double?
    for index in 0..<outline.count {
      let timestamp = outline.timestamps[index]
      if consumer.hasMerged(outline.numbers[index], timestamp) { continue }
      transactions += 1
      changes += Int(outline.changeCounts[index])
      if timestamp.isFinite { oldest = min(oldest ?? timestamp, timestamp) }
    }
    (lagTransactions, lagChanges) = (transactions, changes)
    if let oldest, let newest = history.newestTime { lagSeconds = max(0, newest - oldest) }
    isCutOff = history.isGone(after: consumer.position)
    if case .registry(.active) = consumer.source, transactions > 0 {
      holdsBack = consumer.position == outline.watermark.map { .number($0) }
    }
  }
}

extension ConsumerStatus {
  /// Returns the status of each consumer of a history.
  ///
  /// - Complexity: one visit to each transaction for each consumer.
  static func all(_ consumers: [Consumer], in history: PastHistory) -> [ConsumerStatus] {
    var all = consumers.map { ConsumerStatus($0, in: history) }
    guard !history.outline.isOurs else { return all }
    // Numbers and dates are compared by what is unmerged, because the clock may have stepped back.
    let most = all.filter { !$0.isCutOff }.compactMap(\.lagTransactions).max() ?? 0
    for index in all.indices where most > 0 && !all[index].isCutOff {
      all[index].holdsBack = all[index].lagTransactions == most
    }
    return all
  }
}
