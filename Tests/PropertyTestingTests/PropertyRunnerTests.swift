import PropertyTesting
import Testing

@Suite struct PropertyRunnerTests {
  private func big(_ source: inout ChoiceSource) -> CaseResult {
    let numbers = source.array("number", 0...20) { $0.int(in: 0...1_000) }
    guard let number = numbers.first(where: { $0 > 700 }) else { return .passed }
    return .failed(label: "big", message: "\(number) of \(numbers.count)")
  }

  @Test func `The same seed gives the same result`() throws {
    for seed in UInt64(0)..<20 {
      let results = (0..<2).map { _ in PropertyRunner(seed: seed).run(big) }
      let failures = try results.map { try #require($0.failure) }
      #expect(failures[0].caseIndex == failures[1].caseIndex)
      #expect(failures[0].original == failures[1].original)
      #expect(failures[0].shrunk.sequence == failures[1].shrunk.sequence)
      #expect(failures[0].shrunk.evaluations == failures[1].shrunk.evaluations)
      #expect(failures[0].shrunk.message == "701 of 1")
    }
  }

  @Test func `A failing case replays alone from its seed or its line`() throws {
    let failure = try #require(PropertyRunner(seed: 5).run(big).failure)
    var source = ChoiceSource(seed: try #require(failure.caseSeed))
    #expect(big(&source) == .failed(label: "big", message: failure.originalMessage))
    #expect(source.sequence == failure.original)
    let line = try #require(ChoiceSequence(failure.replayLine))
    var replay = ChoiceSource(replaying: line)
    #expect(big(&replay) == .failed(label: "big", message: failure.shrunk.message))
  }

  @Test func `Cases are counted by outcome`() {
    let result = PropertyRunner(seed: 1, cases: 400).run { source in
      [.passed, .discarded, .vacuous, .passed][source.index(below: 4)]
    }
    #expect(result.outcome == .passed && result.counts.total == 400)
    #expect((160...240).contains(result.counts.passed))
    #expect((70...130).contains(result.counts.discarded))
    #expect((70...130).contains(result.counts.vacuous))
  }

  @Test func `A run that could not have failed does not pass`() {
    #expect(PropertyRunner(seed: 1).run { _ in .discarded }.outcome == .tooManyDiscarded)
    #expect(PropertyRunner(seed: 1).run { _ in .vacuous }.outcome == .vacuous)
    let rarely = PropertyRunner(seed: 1, cases: 1_000).run { source in
      source.index(below: 50) == 0 ? .passed : .discarded
    }
    #expect(rarely.outcome == .tooManyDiscarded && rarely.counts.passed > 0)
  }

  @Test func `A run that tests something in a few cases only is vacuous, with the reasons`() {
    func run(_ share: Int) -> PropertyResult {
      PropertyRunner(seed: 1, cases: 1_000).run { source in
        if source.index(below: 100) < share { throw Vacuity("nothing was purged") }
        return .passed
      }
    }
    let mostly = run(97)
    #expect(mostly.outcome == .vacuous && mostly.counts.passed > 0)
    #expect(mostly.statistics.vacuities == ["nothing was purged": mostly.counts.vacuous])
    #expect(mostly.statistics.description.contains(" vacuous: nothing was purged"))
    #expect(run(80).outcome == .passed)
  }

  @Test func `A thrown rejection discards the case, any other error fails it`() throws {
    struct Broken: Error {}
    let rejected = PropertyRunner(seed: 1, cases: 10).run { try $0.reject() }
    #expect(rejected.counts.discarded == 10)
    let broken = PropertyRunner(seed: 1).run { _ in throw Broken() }
    #expect(try #require(broken.failure).shrunk.label == "Broken")
  }

  @Test func `A run ends when its time is over`() {
    let ticks = Ticks()
    let clock: @Sendable () -> Duration = { .seconds(ticks.next()) }
    let budget = Budget(time: .seconds(50), clock: clock)
    let result = PropertyRunner(seed: 1, cases: 1_000, budget: budget).run { _ in .passed }
    #expect(result.outcome == .outOfTime && result.counts.passed == 49)
  }

  @Test func `Progress reports each case and then each simpler failing case`() throws {
    var steps: [PropertyRunner.Step] = []
    let property: (inout ChoiceSource) -> CaseResult = { source in
      let number = source.int(in: 0...1_000)
      return number > 950 ? .failed(label: "big", message: "\(number)") : .passed
    }
    let result = PropertyRunner(seed: 3).run(progress: { steps.append($0) }, property)
    let failure = try #require(result.failure)
    #expect(failure.caseIndex > 0 && failure.shrunk.improvements > 0)
    let cases = steps.prefix(failure.caseIndex)
    #expect(Array(cases) == (0..<failure.caseIndex).map { .ran(cases: $0 + 1) })
    #expect(steps.count == failure.caseIndex + failure.shrunk.improvements)
  }
}

/// A clock that advances by one at each read.
private final class Ticks: @unchecked Sendable {
  private var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}
