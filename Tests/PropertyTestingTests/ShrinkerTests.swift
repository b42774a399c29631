import ShrinkingExamples
import Testing

@testable import PropertyTesting

@Suite struct ShrinkerTests {
  @Test(arguments: Challenge.all)
  func `A shrunk case passes after any single deletion or reduction`(challenge: Challenge) throws {
    for seed in UInt64(20)..<24 {
      let result = PropertyRunner(seed: seed, cases: 100_000).run(challenge.property)
      let shrunk = try #require(result.failure).shrunk
      expectNoSimpler(shrunk, challenge.property)
    }
  }

  @Test(arguments: SharedLog.Mistake.allCases)
  func `A shrunk plan passes after any single deletion or reduction`(
    mistake: SharedLog.Mistake
  ) throws {
    let property = try SharedLog.property(mistake)
    for seed in UInt64(20)..<23 {
      let result = PropertyRunner(seed: seed, cases: 20_000).run(property)
      expectNoSimpler(try #require(result.failure).shrunk, property)
    }
  }

  /// Runs every neighbour of a result, and expects that no simpler one fails in the same way.
  private func expectNoSimpler(
    _ shrunk: ShrinkResult,
    _ property: (inout ChoiceSource) throws -> CaseResult
  ) {
    for neighbour in neighbours(shrunk.sequence) {
      var source = ChoiceSource(replaying: neighbour)
      let outcome = CaseResult.of(property, &source)
      guard case .failed(shrunk.label, let message) = outcome else { continue }
      source.closeAllSpans()
      #expect(source.sequence >= shrunk.sequence, "\(shrunk.message) -> \(message)")
    }
  }

  /// Returns every sequence with one element fewer or one value lower.
  private func neighbours(_ sequence: ChoiceSequence) -> [ChoiceSequence] {
    var result = sequence.spans.filter { $0.kind == .element }.map { sequence.removing($0.range) }
    for (index, choice) in sequence.choices.enumerated() where !choice.isContinuation {
      var lower = [0, choice.distance / 2, max(choice.distance, 1) - 1].map {
        choice.with(distance: $0)
      }
      if choice.rank <= 8 { lower += (0..<choice.rank).compactMap { choice.with(rank: $0) } }
      result += lower.map { sequence.replacing([(index, $0)]) }
    }
    return result
  }

  @Test func `A long run of equal elements is cut to the required length in few evaluations`()
    throws
  {
    let property: (inout ChoiceSource) -> CaseResult = { source in
      let count = source.array("element", 0...5_000) { $0.bool(probability: 0) }.count
      return count >= 300 ? .failed(label: "long", message: "\(count)") : .passed
    }
    let shrunk = try #require(PropertyRunner(seed: 1).run(property).failure).shrunk
    #expect(shrunk.message == "300" && shrunk.evaluations < 40, "\(shrunk.evaluations)")
  }

  @Test func `A thorough shrinker deletes a step whose work another step can do`() throws {
    // Either a "both", or a "left" and a later "right", lead to the failure.
    let property: (inout ChoiceSource) -> CaseResult = { source in
      let steps = source.array("step", 0...9) { $0.index(below: 3) }
      guard steps.contains(2) || steps.contains(0) && steps.contains(1) else { return .passed }
      return .failed(label: "met", message: "\(steps.map { ["left", "right", "both"][$0] })")
    }
    var source = ChoiceSource(replaying: try #require(ChoiceSequence("1:1,0,2x1,0")))
    #expect(property(&source) == .failed(label: "met", message: #"["left", "right"]"#))
    var shrinker = Shrinker()
    #expect(shrinker.shrink(source.sequence, label: "met", property).sequence == source.sequence)
    shrinker.isThorough = true
    let shrunk = shrinker.shrink(source.sequence, label: "met", property)
    #expect(shrunk.message == #"["both"]"# && shrunk.ending == .fixedPoint)
  }

  @Test func `A thorough shrinker deletes a step when a later one waits longer`() throws {
    // The failure needs three turns, either as steps or as waiting.
    let property: (inout ChoiceSource) -> CaseResult = { source in
      let waits = source.array("step", 0...9) { $0.int(in: 0...24) }
      guard let last = waits.last, waits.count - 1 + last == 3 else { return .passed }
      return .failed(label: "met", message: "\(waits)")
    }
    var source = ChoiceSource(replaying: try #require(ChoiceSequence("1:1,0,1,0,1,0,1,0,0")))
    #expect(property(&source) == .failed(label: "met", message: "[0, 0, 0, 0]"))
    var shrinker = Shrinker()
    let met = property
    #expect(
      shrinker.shrink(source.sequence, label: "met", message: "[0, 0, 0, 0]", met).message
        == "[0, 0, 0, 0]"
    )
    shrinker.isThorough = true
    let shrunk = shrinker.shrink(source.sequence, label: "met", property)
    #expect(shrunk.message == "[3]" && shrunk.ending == .fixedPoint)
  }

  @Test func `A thorough shrinker deletes any two steps at once`() throws {
    let property: (inout ChoiceSource) -> CaseResult = { source in
      let count = source.array("step", 0...9) { $0.bool() }.count
      return count % 2 == 1 ? .passed : .failed(label: "even", message: "\(count)")
    }
    var source = ChoiceSource(replaying: try #require(ChoiceSequence("1:1,0,1,0,0")))
    _ = property(&source)
    var shrinker = Shrinker()
    #expect(shrinker.shrink(source.sequence, label: "even", message: "2", property).message == "2")
    shrinker.isThorough = true
    #expect(shrinker.shrink(source.sequence, label: "even", property).message == "0")
  }

  @Test func `Names are assigned in the order of their first use`() throws {
    let property: (inout ChoiceSource) -> CaseResult = { source in
      let count = source.int(in: 2...5)
      var written: Int?
      var steps: [String] = []
      var repetition = Repetition("step", 0...20)
      while repetition.next(&source) {
        let isRead = source.bool()
        let actor = source.index(below: count, label: "actor")
        steps.append("\(isRead ? "read" : "write") \(actor)")
        if !isRead { written = actor }
        if isRead, let written, written != actor {
          return .failed(label: "read", message: steps.joined(separator: ", "))
        }
      }
      return .passed
    }
    for seed in UInt64(0)..<20 {
      let shrunk = try #require(PropertyRunner(seed: seed).run(property).failure).shrunk
      #expect(shrunk.message == "write 0, read 1")
    }
  }

  @Test(arguments: [UInt64(102), 111, 184, 214])
  func `A joined member is removed with every command that names it`(seed: UInt64) throws {
    let property = try SharedLog.property(.lateJoiner)
    let result = PropertyRunner(seed: seed, cases: 20_000).run(property)
    let shrunk = try #require(result.failure).shrunk
    #expect(SharedLogRow.stepCount(shrunk) == 6, "\(shrunk.message)")
  }

  @Test func `Shrinking keeps the original failure`() throws {
    let property: (inout ChoiceSource) -> CaseResult = { source in
      let number = source.int(in: 0...1_000)
      if number >= 500 { return .failed(label: "large", message: "\(number)") }
      return number >= 10 ? .failed(label: "small", message: "\(number)") : .passed
    }
    for (value, answer) in [(Int64(800), "500"), (400, "10")] {
      let start = ChoiceSequence(choices: [Choice(value, in: 0...1_000)])
      let label = value >= 500 ? "large" : "small"
      #expect(Shrinker().shrink(start, label: label, property).message == answer)
    }
  }

  @Test func `A budget ends shrinking, and the result reports it`() throws {
    let row = { (budget: Budget) in
      PropertyRunner(seed: 1, budget: budget).run(Challenge.largeUnionList.property)
    }
    let few = try #require(row(Budget(evaluations: 10)).failure).shrunk
    #expect(few.ending == .outOfEvaluations && few.evaluations == 10)
    let none = try #require(row(Budget(evaluations: 1)).failure)
    #expect(none.shrunk.sequence == none.original && none.shrunk.evaluations == 1)
  }

  @Test func `A property that fails only once is flaky`() throws {
    var isFirst = true
    let result = PropertyRunner(seed: 1).run { source in
      _ = source.int(in: 1...9)
      defer { isFirst = false }
      return isFirst ? .failed(label: "once", message: "") : .passed
    }
    #expect(try #require(result.failure).shrunk.ending == .flaky)
  }

  @Test func `A property that draws different choices each time is flaky`() throws {
    var calls: Int64 = 0
    let result = PropertyRunner(seed: 1).run { source in
      calls += 1
      let value = source.integer(in: 0...(1_000 + calls))
      return value > 10 ? .failed(label: "big", message: "") : .passed
    }
    #expect(try #require(result.failure).shrunk.ending == .flaky)
  }

  @Test func `No case is run twice`() throws {
    for challenge in [Challenge.coupling, .binheap, .reverse] {
      var runs: [ChoiceSequence: Int] = [:]
      let result = PropertyRunner(seed: 3, cases: 10_000).run { source in
        let outcome = CaseResult.of(challenge.property, &source)
        if source.isReplaying { runs[source.sequence, default: 0] += 1 }
        return outcome
      }
      let shrunk = try #require(result.failure).shrunk
      #expect(runs.values.allSatisfy { $0 == 1 } && runs.count == shrunk.evaluations - 1)
    }
  }

  @Test(arguments: UInt64(1)...20)
  func `Labelled numbers used as names are in the order of their first use`(seed: UInt64) {
    // Fails for four names, the first of which comes again before the other two.
    let result = PropertyRunner(seed: seed, cases: 20_000).run { source in
      let names = source.array("step", 0...8) { $0.int(in: 0...9, label: "name") }
      guard names.count > 4, names[0] == names[2] else { return .passed }
      let others = [names[0], names[1], names[3], names[4]]
      return Set(others).count == 4 ? .failed(label: "met", message: "\(names)") : .passed
    }
    #expect(result.failure?.shrunk.message == "[0, 1, 0, 2, 3]")
  }

  @Test func `A case of thousands of elements shrinks within its evaluations`() {
    let runner = PropertyRunner(seed: 1, cases: 10, budget: Budget(evaluations: 300))
    let result = runner.run { source in
      let numbers = source.array("number", 3_000...3_010) { $0.int(in: 0...9) }
      return numbers.contains(7) ? .failed(label: "seven", message: "\(numbers.count)") : .passed
    }
    #expect(result.failure?.shrunk.message == "3000")
    let sequence = result.failure?.shrunk.sequence
    #expect(sequence?.choices.filter { $0.kind == .number && !$0.isSimplest }.map(\.value) == [7])
  }
}
