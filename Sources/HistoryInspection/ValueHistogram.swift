/// A histogram of non-negative integers, whose buckets grow with the values.
///
/// Values below 256 are exact, higher values are accurate to 1/128. The memory is bounded for any
/// number of values.
package struct ValueHistogram: Sendable, Hashable {
  /// A range of values and their count.
  package struct Bucket: Sendable, Hashable {
    /// The lowest value of the bucket.
    package let from: Int64
    /// The highest value of the bucket.
    package let to: Int64
    package let count: Int

    package init(from: Int64, to: Int64, count: Int) {
      self.from = from
      self.to = to
      self.count = count
    }
  }

  private static let exactCount = 256
  private static let bucketsPerOctave = 128

  private var counts: [Int] = []
  /// The number of values.
  package private(set) var count = 0
  /// The lowest value, or `nil` if there are no values.
  package private(set) var least: Int64?
  /// The highest value, or `nil` if there are no values.
  package private(set) var greatest: Int64?
  private var sum = 0.0

  package init() {}

  /// Adds a value; a negative value counts as 0.
  package mutating func add(_ value: Int64) {
    let value = max(0, value)
    let index = Self.index(of: value)
    if index >= counts.count {
      counts += Array(repeating: 0, count: index + 1 - counts.count)
    }
    counts[index] += 1
    count += 1
    sum += Double(value)
    least = min(least ?? value, value)
    greatest = max(greatest ?? value, value)
  }

  /// Adds all values of another histogram.
  package mutating func add(_ other: ValueHistogram) {
    if other.counts.count > counts.count {
      counts += Array(repeating: 0, count: other.counts.count - counts.count)
    }
    for (index, number) in other.counts.enumerated() { counts[index] += number }
    count += other.count
    sum += other.sum
    least = [least, other.least].compactMap(\.self).min()
    greatest = [greatest, other.greatest].compactMap(\.self).max()
  }

  /// The mean, or `nil` if there are no values.
  package var mean: Double? { count == 0 ? nil : sum / Double(count) }

  /// Returns how often a value below 256 occurs.
  package func count(of value: Int) -> Int {
    value < min(Self.exactCount, counts.count) ? counts[value] : 0
  }

  /// Returns the value at a quantile from 0 to 1, as the highest value of its bucket.
  ///
  /// Returns `nil` if there are no values.
  package func value(at quantile: Double) -> Int64? {
    guard let greatest else { return nil }
    let rank = max(1, Int((quantile * Double(count)).rounded(.up)))
    var seen = 0
    for (index, number) in counts.enumerated() {
      seen += number
      if seen >= rank { return min(greatest, Self.range(of: index).upperBound) }
    }
    return greatest
  }

  /// Returns the counts in fewer, wider buckets.
  ///
  /// `perOctave` is the number of buckets between a value and its double: a power of two up to 128.
  /// The first bucket starts at the lowest value and the last ends at the highest.
  package func buckets(perOctave: Int) -> [Bucket] {
    var buckets: [Bucket] = []
    for (index, number) in counts.enumerated() where number > 0 {
      let range = Self.coarse(Self.range(of: index), perOctave)
      let from = max(range.lowerBound, least ?? 0)
      let to = min(range.upperBound, greatest ?? 0)
      let known = buckets.last.flatMap { $0.to == to ? $0.count : nil }
      if known != nil { buckets.removeLast() }
      buckets.append(Bucket(from: from, to: to, count: number + (known ?? 0)))
    }
    return buckets
  }

  private static func index(of value: Int64) -> Int {
    guard value >= exactCount else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    let part = Int(value >> Int64(exponent - 7)) - bucketsPerOctave
    return exactCount + (exponent - 8) * bucketsPerOctave + part
  }

  private static func range(of index: Int) -> ClosedRange<Int64> {
    guard index >= exactCount else { return Int64(index)...Int64(index) }
    let (octave, part) = (index - exactCount).quotientAndRemainder(dividingBy: bucketsPerOctave)
    let shift = Int64(octave + 1)
    let from = Int64(bucketsPerOctave + part) << shift
    return from...(from + (1 << shift - 1))
  }

  /// Returns the range of the wider bucket that contains the range of a bucket.
  ///
  /// `perOctave` is the number of wider buckets between a value and its double.
  private static func coarse(_ range: ClosedRange<Int64>, _ perOctave: Int) -> ClosedRange<Int64> {
    let value = range.lowerBound
    guard value >= 2 * Int64(perOctave) else { return range }
    let shift = Int64(63 - value.leadingZeroBitCount - perOctave.trailingZeroBitCount)
    let from = (value >> shift) << shift
    return from...(from + (1 << shift - 1))
  }
}
