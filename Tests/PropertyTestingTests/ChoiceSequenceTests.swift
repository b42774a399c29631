import Testing

@testable import PropertyTesting

@Suite struct ChoiceSequenceTests {
  private func sequence(_ values: Int64...) -> ChoiceSequence {
    ChoiceSequence(choices: values.map { Choice($0, in: -100...100) })
  }

  @Test func `Fewer choices are simpler, then the first different choice decides`() {
    let inOrder = [
      sequence(), sequence(0), sequence(1), sequence(-1), sequence(0, 0), sequence(0, 5),
      sequence(1, 0), sequence(-1, -100),
    ]
    #expect(inOrder.reversed().sorted() == inOrder)
  }

  @Test func `The text form reads back as an equal sequence`() {
    var source = ChoiceSource(seed: 7)
    for _ in 0..<50 { _ = source.integer(in: .min ... .max, spread: .nearSimplest) }
    for _ in 0..<50 { _ = source.bool(probability: 0.1) }
    for sequence in [source.sequence, sequence(), sequence(0, 0, 0, -1), sequence(3)] {
      #expect(ChoiceSequence(sequence.description) == sequence)
    }
  }

  @Test func `Runs of one offset are written as a product`() {
    #expect(sequence(0, 0, 0, 7, -1, -1).description == "1:3x0,7,2x-1")
    #expect(sequence().description == "1:")
  }

  @Test(arguments: [
    "", "1", "2:0", "1:,", "1:0,", "1:x", "1:1x0", "1:-2x0", "1:2x", "1:2x3x4", "1:9999999x0",
  ])
  func `Text that is not a sequence is refused`(text: String) {
    #expect(ChoiceSequence(text) == nil)
  }

  @Test func `Text with too many choices is refused`() {
    #expect(ChoiceSequence("1:1000000x0")?.count == 1_000_000)
    #expect(ChoiceSequence("1:1000000x0,0") == nil)
  }

  @Test func `Removing a range keeps the spans around it in place`() {
    var source = ChoiceSource(seed: 3)
    source.span("list") { source in
      var elements = Repetition("element", 4...5)
      while elements.next(&source) { _ = source.int(in: 0...9, label: "digit") }
    }
    _ = source.int(in: 0...9, label: "last")
    let all = source.sequence
    let second = all.spans.filter { $0.label == "element" }[1]
    let fewer = all.removing(second.range)
    #expect(fewer.count == all.count - 2)
    #expect(fewer.spans.count == all.spans.count - 2)
    #expect(fewer.spans.first?.range == 0..<all.count - 3)
    #expect(fewer.spans.last?.range == all.count - 3..<all.count - 2)
    var depths = [0]
    for _ in 1..<fewer.spans.count / 2 { depths += [1, 2] }
    #expect(fewer.spans.map(\.depth) == depths + [0])
  }

  /// Two lists of digits and a digit between them, each digit a span.
  private func lists(_ first: [Int64], _ middle: Int64, _ second: [Int64]) -> ChoiceSequence {
    var result = ChoiceSequence()
    func append(_ digits: [Int64], _ label: String, in depth: Int) {
      result.spans.append(
        ChoiceSpan(label: label, range: result.count..<result.count + digits.count, depth: depth)
      )
      for digit in digits {
        result.spans.append(
          ChoiceSpan(label: "digit", range: result.count..<result.count + 1, depth: depth + 1)
        )
        result.choices.append(Choice(digit, in: 0...9))
      }
    }
    result.spans.append(
      ChoiceSpan(label: "all", range: 0..<first.count + second.count + 1, depth: 0)
    )
    append(first, "list", in: 1)
    append([middle], "middle", in: 1)
    append(second, "list", in: 1)
    return result
  }

  @Test func `Swapping two spans also moves the spans inside and between them`() {
    let sequence = lists([1, 2, 3], 9, [4])
    let second = sequence.spans.lastIndex { $0.label == "list" } ?? 0
    let exchanged = sequence.exchanging(1, second)
    let expected = lists([4], 9, [1, 2, 3])
    #expect(exchanged.choices == expected.choices)
    #expect(exchanged.spans == expected.spans)
  }

  @Test func `A span that replaces its parent has the parent's depth`() {
    let sequence = lists([1, 2, 3], 9, [4])
    let list = sequence.spans[1].range
    let lifted = sequence.rearranged([0..<list.lowerBound, 1..<2, list.upperBound..<5], without: 1)
    #expect(lifted.choices.map(\.value) == [2, 9, 4])
    #expect(lifted.spans.map(\.label) == ["all", "digit", "middle", "digit", "list", "digit"])
    #expect(lifted.spans.map(\.depth) == [0, 1, 1, 2, 1, 2])
  }

  @Test func `Removing ranges removes nested ones once`() {
    let sequence = lists([1, 2, 3], 9, [4, 5])
    let removed = sequence.removing([0..<3, 1..<2, 4..<5])
    #expect(removed.choices.map(\.value) == [9, 5])
    #expect(removed.spans.map(\.label) == ["all", "middle", "digit", "list", "digit"])
    #expect(removed.spans.map(\.range) == [0..<2, 0..<1, 0..<1, 1..<2, 1..<2])
    #expect(removed.spans.map(\.depth) == [0, 1, 2, 1, 2])
  }
}
