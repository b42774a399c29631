import Foundation
import PropertyTesting
import ShrinkingExamples
import Testing

/// The goals of shrinking, over `SHRINK_SEEDS` seeds; the default is 10.
///
/// The goals are medians and means over a hundred seeds: with fewer, the results are compared but
/// the medians are not.
@Suite struct ShrinkingGoalsTests {
  private let seeds =
    0..<(ProcessInfo.processInfo.environment["SHRINK_SEEDS"].flatMap { UInt64($0) } ?? 10)

  @Test(arguments: Challenge.all)
  func `The shrinking challenge reaches its known results within its goals`(challenge: Challenge) {
    let row = ChallengeRow(challenge, seeds: seeds)
    #expect(row.found == seeds.count && row.share >= challenge.shareMin, "\(row.line)")
    #expect(row.meanEvaluations <= challenge.evaluationsMax, "\(row.line)")
    #expect(row.endings == [.fixedPoint: seeds.count])
  }

  @Test(arguments: SharedLog.Mistake.allCases)
  func `Plans of the shared log shrink to the least length of their failure`(
    mistake: SharedLog.Mistake
  ) throws {
    let row = try SharedLogRow(mistake, seeds: seeds)
    #expect(row.failures.count == seeds.count)
    #expect(Double(row.leastCount) >= 0.99 * Double(seeds.count), "\(row.line)")
    #expect(row.evaluations.allSatisfy { $0 <= 250 }, "\(row.line)")
    guard seeds.count >= 100 else { return }
    #expect(row.medianCases <= Double(mistake.casesMax), "\(row.line)")
    #expect(row.medianEvaluations <= Double(mistake.evaluationsMax), "\(row.line)")
  }
}
