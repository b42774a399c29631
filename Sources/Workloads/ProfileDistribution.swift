/// A distribution of numbers, as a histogram: ascending buckets that do not overlap.
package struct ProfileDistribution: Sendable, Hashable {
  /// A range of numbers, and how many numbers are in that range.
  package struct Bucket: Sendable, Hashable, Codable {
    /// The least value of the bucket.
    package let from: Double
    /// The greatest value of the bucket.
    package let to: Double
    package let count: Int

    package init(from: Double, to: Double, count: Int) {
      self.from = from
      self.to = to
      self.count = count
    }
  }

  package let buckets: [Bucket]

  package init(_ buckets: [Bucket] = []) { self.buckets = buckets }

  /// The total number of values.
  package var count: Int { buckets.reduce(0) { $0 + $1.count } }

  /// A description of the first invalid bucket, or of a missing one; `nil` if the distribution is valid.
  var flaw: String? {
    var end = -1.0
    for bucket in buckets {
      guard bucket.count > 0 else { return "a bucket has the count \(bucket.count)" }
      guard bucket.from > end, bucket.to >= bucket.from, bucket.to <= 1e15 else {
        return "the bucket \(bucket.from) to \(bucket.to) is out of order"
      }
      end = max(bucket.to, 0)
    }
    return buckets.isEmpty ? "the distribution has no bucket" : nil
  }

  /// Returns the whole number at a quantile from 0 to 1.
  ///
  /// All whole numbers of a bucket are equally likely.
  package func integer(at quantile: Double) -> Int {
    guard let (bucket, share) = place(of: quantile) else { return 0 }
    let number = bucket.from + (share * (bucket.to - bucket.from + 1)).rounded(.down)
    return Int(min(number, bucket.to))
  }

  /// Returns the number at a quantile from 0 to 1.
  ///
  /// Within a bucket that begins above 0, numbers are distributed evenly on a logarithmic scale.
  /// The computation uses only square roots, so that every machine gives the same bits.
  package func value(at quantile: Double) -> Double {
    guard let (bucket, share) = place(of: quantile) else { return 0 }
    guard bucket.from > 0 else { return bucket.from + share * (bucket.to - bucket.from) }
    var (low, high, rest) = (bucket.from, bucket.to, share)
    for _ in 0..<32 {
      let middle = (low * high).squareRoot()
      rest *= 2
      if rest >= 1 {
        low = middle
        rest -= 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Returns the bucket that contains a quantile, and where in the bucket the quantile is.
  ///
  /// The place in the bucket is a fraction from 0 to below 1.
  private func place(of quantile: Double) -> (Bucket, Double)? {
    var rank = min(max(quantile, 0), 1.0.nextDown) * Double(count)
    for bucket in buckets {
      if rank < Double(bucket.count) { return (bucket, rank / Double(bucket.count)) }
      rank -= Double(bucket.count)
    }
    return buckets.last.map { ($0, 1.0.nextDown) }
  }
}

extension ProfileDistribution: Codable {
  package init(from decoder: any Decoder) throws {
    buckets = try decoder.singleValueContainer().decode([Bucket].self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(buckets)
  }
}

/// The counts from which a profile is computed, for one history or for several together.
package struct ProfileTally: Sendable, Hashable {
  package var transactions = 0
  package var transactionsWithoutAuthor = 0
  package var transactionsWithoutChanges = 0
  package var inserts = 0
  package var updates = 0
  package var deletes = 0
  /// The number of transactions with the same timestamp as the previous transaction.
  package var ties = 0
  /// The number of transactions with an earlier timestamp than the previous transaction.
  package var stepsBack = 0
  /// The distribution of the number of changes per transaction, without empty transactions.
  package var changes = ProfileDistribution()
  /// The distribution of the seconds between consecutive transactions in commit order.
  package var gaps = ProfileDistribution()
  /// The number of transactions of each author, in any order.
  package var authors: [Int] = []
  /// The number of changes of each entity, in any order.
  package var entities: [Int] = []

  package init() {}
}

/// The origin of a profile's figures: the counted stores, the date, the total counts and remarks.
package struct ProfileProvenance: Sendable, Hashable, Codable {
  /// A store file whose transactions and changes were counted for the profile.
  package struct File: Sendable, Hashable, Codable {
    /// The file's name without its folder.
    package let name: String
    package let transactions: Int
    package let changes: Int

    package init(name: String, transactions: Int, changes: Int) {
      self.name = name
      self.transactions = transactions
      self.changes = changes
    }
  }

  /// A sentence that says which history the profile was made from, for display.
  package var source: String
  /// The day on which the profile was made, in the form `2001-12-31`.
  package var date: String
  /// The number of transactions from which the profile was computed.
  package var transactions: Int
  /// The number of changes in the transactions from which the profile was computed.
  package var changes: Int
  /// The store files whose transactions were counted; empty if no files were available.
  package var files: [File]
  /// Remarks on the sources of the profile's figures, and on how exact the figures are.
  package var notes: [String]

  package init(
    source: String,
    date: String,
    transactions: Int,
    changes: Int,
    files: [File] = [],
    notes: [String] = []
  ) {
    self.source = source
    self.date = date
    self.transactions = transactions
    self.changes = changes
    self.files = files
    self.notes = notes
  }
}

/// A failure to read or to make a workload profile.
package enum ProfileError: Error, Hashable, Sendable {
  /// No built-in profile has the given name.
  case unknownName(String)
  /// The input is not a valid profile, for the given reason.
  case unreadable(source: String, reason: String)
  /// The profile's format version is newer than the newest one that this program reads.
  case newerVersion(source: String, found: Int, known: Int)
  /// A history is too small for a profile, for the given reason.
  case tooLittle(source: String, reason: String)
}

extension ProfileError: CustomStringConvertible {
  /// The problem as a sentence; except for `tooLittle`, also the names of the built-in profiles.
  package var description: String {
    let known = "Profiles that need no file: \(WorkloadProfile.names.joined(separator: ", "))."
    switch self {
    case .unknownName(let name): return "There is no profile \(name.debugDescription). \(known)"
    case .unreadable(let source, let reason):
      return "\(source) is not a workload profile: \(reason). \(known)"
    case .newerVersion(let source, let found, let version):
      return
        "\(source) is a workload profile of version \(found); this lab reads up to \(version). Update "
        + "history-lab. \(known)"
    case .tooLittle(let source, let reason):
      return "\(source) has too little history for a profile: \(reason). \(known)"
    }
  }
}
