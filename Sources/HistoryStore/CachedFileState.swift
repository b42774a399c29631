import Basics
import HistoryTypes
import SQLiteStorage

/// The contents of a store file that one connection caches in memory.
///
/// A snapshot of a store consists of copies of the file and of this state. ``Store/restore(_:)`` then
/// lets a connection to the copied file continue like the original connection.
/// ``StoreCore/discardCache(restoring:)`` empties the state, and a write that fails after changing the state
/// calls that method. Add a value here if it is derived from the file's content and outlives a
/// request. Values that are valid only until another connection writes belong in
/// ``CachedPositions``.
package struct CachedFileState: Sendable {
  /// The interned strings of the file, such as author names, that this connection has read.
  var strings: InternedStrings
  /// The numbers (of interned names) of authors that are known to have a row in `history_author`.
  var authors: Set<Int32> = [0]
  /// The numbers of the strings of the configured bundle and process; `nil` until first needed.
  var processStrings: ProcessStrings?
  /// The author of the last write, and the number of the author's interned string.
  var lastAuthor: (name: String?, number: Int32)?
  /// The context name of the last write, and the number of its interned string.
  var lastContext: (name: String?, number: Int32)?
  /// The pseudorandom generator of marks, created on first use.
  ///
  /// A mark is the random number of a transaction, which a history token repeats.
  ///
  /// Only its seed comes from ``StoreConfiguration/random``: calling that source for each mark
  /// would cost more than the rest of a small write's bookkeeping.
  var marks: SplitMix64?
  /// For each entity, in the order of the model, the object keys that this connection has reserved.
  var keys: [KeyBlock]

  init(strings: InternedStrings, entityCount: Int) {
    self.strings = strings
    keys = Array(repeating: KeyBlock(), count: entityCount)
  }

  /// The empty state of a connection that has not read from its file yet.
  var emptied: CachedFileState {
    CachedFileState(
      strings: InternedStrings(areLabels: strings.areLabels),
      entityCount: keys.count
    )
  }
}

/// The cached positions in history, which are valid until another connection writes.
///
/// A snapshot of the store does not contain these positions.
struct CachedPositions {
  /// The newest transaction of the file when this connection last committed history.
  ///
  /// `nil` if it is not cached, such as after a failed write.
  var head: KnownHead?
  /// The size in bytes of the history after the slowest member's cursor.
  ///
  /// A purge with the limit ``RetentionLimits/byteCount`` updates this value.
  var byteSum = ByteSum()
}

/// A cache of the configurations of members, by their encoded text.
///
/// An entry depends on nothing but its text, and so never becomes invalid.
struct ConfigurationCache {
  /// The configuration of the last member that launched through this connection, and its text.
  var lastDeclared: (configuration: MemberConfiguration, text: String)?
  /// The decoded configurations by their text.
  private var decoded: [String: MemberConfiguration] = [:]
  private static let countMax = 64

  /// Returns the configuration that a text encodes; calls `decode` if the text is not cached.
  mutating func configuration(
    _ text: String,
    decode: () throws -> MemberConfiguration
  ) rethrows -> MemberConfiguration {
    if let known = decoded[text] { return known }
    let made = try decode()
    if decoded.count >= Self.countMax { decoded.removeAll() }
    decoded[text] = made
    return made
  }
}

extension Store {
  /// Returns the cached contents of the file, for a snapshot of the store.
  package func cachedState() throws(HistoryError) -> CachedFileState {
    try locked { core in core.cache }
  }

  /// Restores the cached state of a snapshot.
  ///
  /// Before the call, the snapshot's copy of the file must have replaced the file.
  package func restore(_ state: CachedFileState) throws(HistoryError) {
    try locked { core in core.discardCache(restoring: state) }
  }

  /// Discards the cached state, as if the store were opened again.
  ///
  /// Required after the content of the file was replaced under the connection.
  package func discardCache() throws(HistoryError) {
    try locked { core in core.discardCache() }
  }
}

/// The newest transaction in one version of the file's content.
struct KnownHead {
  /// The greatest number that was ever assigned to a transaction.
  var number: Int64
  /// The timestamp of the newest transaction.
  var timestamp: Double
  /// The data version of the file for which the other properties are valid.
  var dataVersion: UInt32
}

/// A range of reserved keys of one entity for one connection.
struct KeyBlock {
  var next: Int64 = 0
  var end: Int64 = 0
  /// The number of keys that the next reservation requests.
  ///
  /// Each reservation doubles this number, up to 4096, so that reservations become rare.
  var size: Int64 = 32

  /// Whether the connection has reserved a key that it has not used yet.
  var hasNext: Bool { next < end }
}
