import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing

@testable import Traces

@Suite struct RoundTripTests {
  @Test(.property(cases: 12, seed: 1))
  func `A plan is read back as it was written, byte for byte`() async throws {
    try await property(RandomPlan.generator { try $0.plan() }) { plan in
      let text = PlanCodec.encode(plan)
      let again = try PlanCodec.decode(text)
      #expect(again == plan)
      #expect(PlanCodec.encode(again) == text)
      #expect(try LabFile(text) == .plan(plan))
      #expect(text.utf8.count { $0 == 0x0a } == plan.commands.count + 1)
      #expect(Set(plan.commands.map { CommandWord($0.action) }).count == CommandWord.allCases.count)
    }
  }

  @Test(.property(cases: 12, seed: 1))
  func `A trace is read back as it was written, byte for byte`() async throws {
    try await property(RandomPlan.generator { try $0.trace() }) { trace in
      let text = TraceCodec.encode(trace)
      let again = try TraceCodec.decode(text)
      #expect(again == trace)
      #expect(TraceCodec.encode(again) == text)
      #expect(try LabFile(text) == .trace(trace))
      #expect(Set(trace.events.map(\.kind.word)).count == EventWord.allCases.count)
    }
  }

  @Test(.property(cases: 12, seed: 1))
  func `A counterexample is read back as it was written, byte for byte`() async throws {
    try await property(RandomPlan.generator { try $0.counterexample() }) { counterexample in
      let text = CounterexampleCodec.encode(counterexample)
      let again = try CounterexampleCodec.decode(text)
      #expect(again == counterexample)
      #expect(CounterexampleCodec.encode(again) == text)
      #expect(try LabFile(text) == .counterexample(counterexample))
    }
  }

  @Test func `Each keyword belongs to exactly one kind of action`() {
    var random = RandomPlan(seed: 7)
    for word in CommandWord.allCases {
      let action = random.action(word)
      #expect(action.word == word.rawValue)
      #expect(CommandWord(action) == word)
    }
  }

  @Test func `NaN, negative zero and big integers keep their bits`() throws {
    for number in [Double.nan, -0.0, .infinity, -.infinity, 9_007_199_254_740_994, 1e22] {
      let json = try JSONValue(message: JSONValue(number).line)
      #expect(json.double?.isNaN == number.isNaN)
      #expect(number.isNaN || json.double?.bitPattern == number.bitPattern)
    }
    for integer in [Int64.max, .min, 1 << 53, (1 << 53) + 1] {
      #expect(try JSONValue(message: JSONValue(integer).line).whole == integer)
    }
    #expect(JSONValue(Int64(1) << 53).line == "9007199254740992")
    #expect(JSONValue((Int64(1) << 53) + 1).line == "\"9007199254740993\"")
  }

  @Test func `Keys are sorted by bytes, and strings are escaped as little as possible`() {
    let value: JSONValue = [
      "Item/9": .null, "Item/10": .bool(true), "é": .integer(1), "a\"": .string("\u{1}\u{0}/\t😀"),
    ]
    #expect(
      value.line
        == #"{"Item/10":true,"Item/9":null,"a\"":"\u0001\u0000/\t😀","é":1}"#
    )
  }
}
