#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The samples of contenders (compared programs) measured in turn, and statistics of the samples.
package struct InterleavedResult: Sendable, Hashable, Codable {
  /// One round: each contender measured twice, in a mirrored order.
  package struct Round: Sendable, Hashable, Codable {
    /// The order of the round's first half, as indices of contenders; the second half mirrors it.
    package var order: [Int]
    /// The samples by contender, each in the order of measuring.
    package var readings: [[Elapsed]]

    package init(order: [Int], readings: [[Elapsed]]) {
      self.order = order
      self.readings = readings
    }
  }

  /// The names of the contenders.
  package var names: [String]
  /// The seed of the random orders of contenders.
  @HexCoded package var seed: UInt64
  /// The rounds in the order of measuring.
  package var rounds: [Round]

  package init(names: [String], seed: UInt64, rounds: [Round]) {
    self.names = names
    self.seed = seed
    self.rounds = rounds
  }

  /// Returns all samples of one contender, in nanoseconds, in the order of measuring.
  ///
  /// - Throws: `noSuchContender`.
  package func samples(
    of name: String,
    _ kind: TimeKind
  ) throws(MeasuringError) -> [Double] {
    let index = try index(of: name)
    return rounds.flatMap { round in round.readings[index].map { $0.time(kind) } }
  }

  /// Estimates the median time of one contender in nanoseconds; the bootstrap resamples whole rounds.
  ///
  /// - Throws: `noSuchContender`.
  package func median(
    of name: String,
    _ kind: TimeKind,
    bootstrap: Bootstrap? = nil
  ) throws(MeasuringError) -> Interval {
    let index = try index(of: name)
    let times = rounds.map { round in round.readings[index].map { $0.time(kind) } }
    return (bootstrap ?? Bootstrap(seed: seed)).median(ofGroups: times)
  }

  /// Estimates the cost of one contender relative to another, from the same rounds.
  ///
  /// - Returns: The ratio, or `nil` if a sample is zero. The processor time of work that only waits
  ///   can be zero.
  /// - Throws: `noSuchContender`.
  package func ratio(
    of name: String,
    to floor: String,
    _ kind: TimeKind,
    bootstrap: Bootstrap? = nil
  ) throws(MeasuringError) -> RatioEstimate? {
    let logRatios = try logRatios(of: name, to: floor, kind)
    guard logRatios.allSatisfy(\.isFinite) else { return nil }
    return RatioEstimate(
      to: floor,
      logRatios: logRatios,
      bootstrap: bootstrap ?? Bootstrap(seed: seed)
    )
  }

  /// Returns the logarithms of one contender's cost relative to another, one per round.
  ///
  /// A value is not finite if a sample is zero.
  ///
  /// - Throws: `noSuchContender`.
  package func logRatios(
    of name: String,
    to floor: String,
    _ kind: TimeKind
  ) throws(MeasuringError) -> [Double] {
    let index = try index(of: name)
    let floorIndex = try self.index(of: floor)
    return rounds.map { round in
      meanLog(round.readings[index], kind) - meanLog(round.readings[floorIndex], kind)
    }
  }

  private func meanLog(_ readings: [Elapsed], _ kind: TimeKind) -> Double {
    readings.map { log($0.time(kind)) }.reduce(0, +) / Double(readings.count)
  }

  private func index(of name: String) throws(MeasuringError) -> Int {
    guard let index = names.firstIndex(of: name) else {
      throw .noSuchContender(name, known: names)
    }
    return index
  }
}

/// The values that all rows of one measurement share: the benchmark's names and the size of history.
package struct RowTopic: Sendable, Hashable {
  /// The part of the system that is measured, such as `Store.fetch`.
  package var subject: String
  /// The operation that is measured, such as `after token`.
  package var operation: String
  /// The conditions of the measurement, such as `10 new, warm, tmpfs`.
  ///
  /// In the example, ten transactions are new, the cache is warm and the store is in memory.
  package var condition: String
  /// The size of history, in transactions.
  package var historySize: Int

  package init(subject: String, operation: String, condition: String, historySize: Int) {
    self.subject = subject
    self.operation = operation
    self.condition = condition
    self.historySize = historySize
  }
}

extension InterleavedResult {
  /// Returns the samples as rows: wall time and processor time of each contender.
  ///
  /// Ratios are relative to the contender named `floor`. If `floor` is `nil`, rows have no ratios.
  ///
  /// - Throws: `noSuchContender` if that contender was not measured.
  package func rows(
    about topic: RowTopic,
    floor: String?
  ) throws(MeasuringError) -> [BenchmarkRow] {
    var rows: [BenchmarkRow] = []
    for name in names {
      for kind in TimeKind.allCases {
        rows.append(try row(of: name, kind, about: topic, floor: floor))
      }
    }
    return rows
  }

  private func row(
    of name: String,
    _ kind: TimeKind,
    about topic: RowTopic,
    floor: String?
  ) throws(MeasuringError) -> BenchmarkRow {
    var ratio: RatioEstimate?
    if let floor, floor != name { ratio = try self.ratio(of: name, to: floor, kind) }
    return BenchmarkRow(
      subject: topic.subject,
      operation: topic.operation,
      condition: topic.condition,
      contender: name,
      historySize: topic.historySize,
      metric: .time(kind),
      samples: try samples(of: name, kind),
      median: try median(of: name, kind),
      ratio: ratio,
      seed: seed
    )
  }
}
