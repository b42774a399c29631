#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Every reading of contenders that were measured in turn, and what follows from them.
package struct InterleavedResult: Sendable, Hashable, Codable {
  /// One round: each contender measured twice, in a mirrored order.
  package struct Round: Sendable, Hashable, Codable {
    /// The order of the round's first half, as indices of contenders; the second half mirrors it.
    package var order: [Int]
    /// The readings by contender, each in the order in which they were taken.
    package var readings: [[Elapsed]]

    /// Makes a round.
    package init(order: [Int], readings: [[Elapsed]]) {
      self.order = order
      self.readings = readings
    }
  }

  /// The names of the contenders.
  package var names: [String]
  /// From what the orders follow.
  @HexCoded package var seed: UInt64
  /// The rounds in the order in which they were measured.
  package var rounds: [Round]

  /// Makes a result.
  package init(names: [String], seed: UInt64, rounds: [Round]) {
    self.names = names
    self.seed = seed
    self.rounds = rounds
  }

  /// All readings of one contender, in nanoseconds, in the order in which they were taken.
  ///
  /// - Throws: `noSuchContender`.
  package func samples(
    of name: String,
    _ kind: TimeKind
  ) throws(MeasuringError) -> [Double] {
    let index = try index(of: name)
    return rounds.flatMap { round in round.readings[index].map { $0.time(kind) } }
  }

  /// Estimates the median time of one contender in nanoseconds, drawing whole rounds.
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

  /// Estimates what one contender costs beside another, from the same rounds.
  ///
  /// - Returns: nil when a reading is zero, as processor time of work that only waits can be: then
  ///   there is no ratio.
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

  /// The logarithms of what one contender costs beside another, one a round; not finite where a
  /// reading is zero.
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
