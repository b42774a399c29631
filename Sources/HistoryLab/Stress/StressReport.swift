/// What one process of a stress run says of itself at the end.
struct StressReport: Codable, Hashable, Sendable {
  /// How many transactions it wrote.
  var written = 0
  /// How many passes its tracker made.
  var passes = 0
  /// How many transactions those merged.
  var merged = 0
  /// How many they purged.
  var purged = 0
  /// How many errors were a busy store: somebody else held its lock for too long.
  var busyErrors = 0
  /// How many other errors reached a caller.
  var otherErrors = 0
  /// The first error, in words.
  var firstError: String?
  /// What its view holds at the end.
  var view: StressView?
}

/// What a view or a store holds, in short.
struct StressView: Codable, Hashable, Sendable {
  let objectCount: Int
  /// A digest of every object with its values, in hexadecimal.
  let digest: String
}
