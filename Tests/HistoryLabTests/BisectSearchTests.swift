import Basics
import LabFixtures
import Testing

@testable import HistoryLab

@Suite struct `The search for the first bad commit` {
  /// Searches among commits of which some are skipped, and returns the candidates and the judged ones.
  private func search(
    _ count: Int,
    firstBad: Int,
    skipping skipped: Set<Int> = []
  ) -> (candidates: ClosedRange<Int>, judged: [Int]) {
    var search = BisectSearch(count: count)
    var judged: [Int] = []
    search.run { commit, _ in
      judged.append(commit)
      return skipped.contains(commit) ? .skipped("") : commit < firstBad ? .good : .bad
    }
    return (search.candidates, judged)
  }

  /// The least number of halvings that leave one of the given number of commits.
  private func log2(_ count: Int) -> Int {
    Int.bitWidth - (count - 1).leadingZeroBitCount
  }

  @Test func `Every position of the first bad commit is found in log2 steps`() {
    for count in 1...70 {
      for firstBad in 0..<count {
        let found = search(count, firstBad: firstBad)
        #expect(found.candidates == firstBad...firstBad)
        #expect(found.judged.count <= log2(count), "\(count) commits")
      }
    }
  }

  @Test(arguments: 1...40)
  func `With random skips the candidates are exactly the undecidable ones`(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    for firstBad in 0..<count {
      for share in [2, 3, 10] as [UInt64] {
        // The last commit is never skipped, for it is known to be bad.
        let skipped = Set((0..<count - 1).filter { _ in random.next() % share == 0 })
        let found = search(count, firstBad: firstBad, skipping: skipped)
        let lower = (0..<firstBad).last { !skipped.contains($0) }.map { $0 + 1 } ?? 0
        let upper = (firstBad..<count).first { !skipped.contains($0) }
        #expect(found.candidates == lower...(upper ?? count - 1))
        #expect(Set(found.judged).count == found.judged.count)
        let skips = found.judged.count(where: skipped.contains)
        #expect(found.judged.count <= log2(count) + skips, "\(count) commits, \(skips) skips")
      }
    }
  }

  @Test func `After a skipped commit its neighbor is tried`() {
    var search = BisectSearch(count: 16)
    #expect(search.next == 7)
    search.record(.skipped("it does not build"), of: 7)
    #expect(search.next == 8 || search.next == 6)
  }

  @Test func `The remaining steps are announced and never exceeded`() {
    for firstBad in 0..<33 {
      var search = BisectSearch(count: 33)
      #expect(search.stepsMax == 6)
      while let commit = search.next {
        let before = search.stepsMax
        search.record(commit < firstBad ? .good : .bad, of: commit)
        #expect(search.stepsMax < before)
      }
      #expect(search.stepsMax == 0)
    }
  }

  @Test func `An error ends the search with the candidates so far`() {
    struct Stop: Error {}
    var search = BisectSearch(count: 100)
    var judged = 0
    #expect(throws: Stop.self) {
      try search.run { commit, _ in
        judged += 1
        if judged > 2 { throw Stop() }
        return commit < 30 ? .good : .bad
      }
    }
    #expect(search.candidates.contains(30) && search.candidates.count < 30)
  }
}
