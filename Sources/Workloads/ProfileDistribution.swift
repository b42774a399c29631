/// A distribution of values, in rising buckets that do not overlap.
package struct ProfileDistribution: Sendable, Hashable {
  /// A range of close values, and their number.
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

  /// The number of values.
  package var count: Int { buckets.reduce(0) { $0 + $1.count } }

  /// A description of the first invalid bucket; `nil` if the distribution is valid.
  var flaw: String? {
    var end = -1.0
    for bucket in buckets {
      guard bucket.count > 0 else { return "a bucket has the count \(bucket.count)" }
      guard bucket.from > end, bucket.to >= bucket.from, bucket.to <= 1e15 else {
        return "the bucket \(bucket.from) to \(bucket.to) is out of order"
      }
      end = max(bucket.to, 0)
    }
    return buckets.isEmpty ? "there is no bucket" : nil
  }

  /// Returns the whole number at a quantile from 0 to 1; within a bucket all are equally frequent.
  package func integer(at quantile: Double) -> Int {
    guard let (bucket, share) = place(of: quantile) else { return 0 }
    let number = bucket.from + (share * (bucket.to - bucket.from + 1)).rounded(.down)
    return Int(min(number, bucket.to))
  }

  /// Returns the value at a quantile from 0 to 1.
  ///
  /// Within a bucket that begins above 0, values are distributed evenly on a logarithmic scale.
  /// They are computed with square roots only, so that every machine gives the same bits.
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

  /// Returns the bucket of a quantile, and the position within it, from 0 to below 1.
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
