import Basics
import Foundation

/// A random sample of the different states that plans have reached.
///
/// The sample consists of the states with the smallest digests, at most ``countMax`` of them, each
/// with the number of random plans that reached it. It has three properties:
///
/// - Samples of several runs, joined in any order, are the sample of all runs together.
/// - Up to ``countMax`` different states are counted exactly. A larger number is estimated from the
///   size of the sample and the least digest of a reached state outside the sample, with a standard
///   error of 3 %.
/// - As JSON a sample of ten million plans has at most 20,000 bytes.
///
/// Z. Bar-Yossef et al.: Counting Distinct Elements in a Data Stream, RANDOM 2002; K. Beyer et al.:
/// On Synopses for Distinct-Value Estimation under Multiset Operations, SIGMOD 2007.
package struct StateSample: Sendable {
  /// The maximum number of states in a sample.
  package static let countMax = 1_024

  /// The number of random plans that reached each state, by the state's digest; 0 for a state that
  /// only explorations have reached.
  private var planCounts: [UInt64: Int] = [:]
  /// The exclusive upper bound of the digests; `nil` if the sample contains every state.
  private var bound: UInt64?
  /// The number of random plans.
  package private(set) var planCount = 0
  /// The number of states that random plans reached; a state counts once for each plan.
  package private(set) var visitCount = 0
  /// The number of states that explorations reached; a state counts once for each exploration.
  package private(set) var exploredCount = 0

  package init() {}

  /// Adds the states that one random plan reached, by their digests.
  ///
  /// Every bit of a digest must depend on every bit of the state.
  package mutating func add(plan states: Set<UInt64>) {
    planCount += 1
    visitCount += states.count
    for state in states { add(state, planCount: 1) }
    prune()
  }

  /// Adds a state that an exploration reached, by its digest.
  package mutating func add(explored state: UInt64) {
    exploredCount += 1
    add(state, planCount: 0)
    prune()
  }

  /// Adds the states of another sample.
  package mutating func add(_ other: StateSample) {
    planCount += other.planCount
    visitCount += other.visitCount
    exploredCount += other.exploredCount
    if let theirs = other.bound { lower(to: theirs) }
    for (state, count) in other.planCounts { add(state, planCount: count) }
    prune()
  }

  private mutating func add(_ state: UInt64, planCount: Int) {
    if let bound, state >= bound { return }
    planCounts[state, default: 0] += planCount
  }

  /// Removes the states whose digests are not less than `other`, and makes `other` the bound of the
  /// sample.
  ///
  /// The sample does not change if its bound is already `other` or less.
  private mutating func lower(to other: UInt64) {
    guard other < bound ?? .max else { return }
    bound = other
    planCounts = planCounts.filter { $0.key < other }
  }

  /// Reduces the sample to the ``countMax`` smallest digests if it has more than `limit` states.
  ///
  /// By default the limit is twice ``countMax``, so that states are rarely sorted.
  private mutating func prune(above limit: Int = 2 * countMax) {
    guard planCounts.count > limit else { return }
    lower(to: planCounts.keys.sorted()[Self.countMax])
  }

  /// Removes the states that cannot be in a join of this sample with `other`.
  ///
  /// These are the states whose digests are not less than the upper bound of `other`. If `other`
  /// has no bound, it contains every state, and no state is removed here.
  mutating func trim(for other: StateSample) {
    if let bound = other.bound { lower(to: bound) }
  }

  /// This sample, reduced to at most ``countMax`` states: those with the smallest digests.
  private var pruned: StateSample {
    var sample = self
    sample.prune(above: Self.countMax)
    return sample
  }

  /// The number of states that plans and explorations reached.
  ///
  /// A state counts once for each plan and once for each exploration that reached it.
  package var reachedCount: Int { visitCount + exploredCount }

  /// The values from which ``StateEstimate`` computes its estimates.
  var counts: Counts {
    let sample = pruned
    return Counts(
      inSample: sample.planCounts.count,
      // A digest is less than the bound with this probability.
      share: sample.bound.map { Double($0) * 0x1p-64 } ?? 1,
      inOnePlan: sample.planCounts.values.count { $0 == 1 },
      inTwoPlans: sample.planCounts.values.count { $0 == 2 }
    )
  }

  /// The counts of the states in a sample.
  struct Counts {
    let inSample: Int
    /// The probability that an arbitrary state is in the sample; 1 if the sample contains every
    /// state.
    let share: Double
    /// The number of states of the sample that exactly one random plan reached.
    let inOnePlan: Int
    /// The number of states of the sample that exactly two random plans reached.
    let inTwoPlans: Int
  }
}

extension StateSample: Equatable {
  /// Returns whether two samples are equal when both are reduced to at most ``countMax`` states.
  package static func == (left: StateSample, right: StateSample) -> Bool {
    let (left, right) = (left.pruned, right.pruned)
    return left.planCounts == right.planCounts && left.bound == right.bound
      && left.planCount == right.planCount && left.visitCount == right.visitCount
      && left.exploredCount == right.exploredCount
  }
}

/// The form of a sample in a file: one text with the digests, and one text with the counts.
///
/// A digest has eight bytes; the smallest digest is first.
extension StateSample: Codable {
  /// The name of a sample's file in the folder of a run.
  package static let file = "states.json"

  private enum CodingKeys: String, CodingKey {
    case version = "states"
    case plans
    case visits
    case explored
    case bound
    case digests
    case planCounts
  }

  /// The version of the format that is written, and the newest one that is read.
  package static let formatVersion = 1

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version <= Self.formatVersion else {
      throw DecodingError.dataCorruptedError(
        forKey: .version,
        in: container,
        debugDescription: "The version is \(version), but this program reads only version 1."
      )
    }
    planCount = try container.decode(Int.self, forKey: .plans)
    visitCount = try container.decode(Int.self, forKey: .visits)
    exploredCount = try container.decode(Int.self, forKey: .explored)
    bound = try container.decodeIfPresent(String.self, forKey: .bound).flatMap {
      UInt64($0, radix: 16)
    }
    let bytes = try container.decode(Data.self, forKey: .digests)
    let counts = try container.decode(String.self, forKey: .planCounts)
      .split(separator: " ").compactMap { Int($0) }
    guard bytes.count == 8 * counts.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .digests,
        in: container,
        debugDescription: "The number of digests differs from the number of counts."
      )
    }
    for (place, count) in counts.enumerated() {
      let digest = bytes[(bytes.startIndex + 8 * place)...].prefix(8).reduce(UInt64(0)) {
        $0 << 8 | UInt64($1)
      }
      planCounts[digest] = count
    }
  }

  package func encode(to encoder: any Encoder) throws {
    let sample = pruned
    let states = sample.planCounts.sorted { $0.key < $1.key }
    var bytes = Data(capacity: 8 * states.count)
    for (state, _) in states {
      for place in (0..<8).reversed() {
        bytes.append(UInt8(truncatingIfNeeded: state >> (8 * UInt64(place))))
      }
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.formatVersion, forKey: .version)
    try container.encode(planCount, forKey: .plans)
    try container.encode(visitCount, forKey: .visits)
    try container.encode(exploredCount, forKey: .explored)
    try container.encodeIfPresent(sample.bound.map { String($0, radix: 16) }, forKey: .bound)
    try container.encode(bytes, forKey: .digests)
    let counts = states.map { String($0.value) }
    try container.encode(counts.joined(separator: " "), forKey: .planCounts)
  }
}
