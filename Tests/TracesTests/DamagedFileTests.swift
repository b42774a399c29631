import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing

@testable import Traces

@Suite struct DamagedFileTests {
  private static let counterexample =
    #"""
    {"actors":[{"id":"app"}],"counterexample":1,"model":[{"attributes":[],"entity":"Item"}],"plan":1}
    {"actor":"app","do":"pass"}
    {"commands":1,"system":"article","trace":1}
    {"actor":"app","at":0,"command":0,"do":"pass","event":"called","tick":0}
    {"actor":"app","at":1,"event":"purged","tick":0,"transactions":["3"]}
    {"at":1,"because":"app purged 3","checker":"PurgeSafety","transaction":"3","verdict":"invalid"}

    """#

  private static func replacing(_ part: String, _ other: String) -> String {
    let pieces = counterexample.split(separator: part, omittingEmptySubsequences: false)
    return pieces.joined(separator: other)
  }

  private static func without(_ line: Int) -> String {
    var lines = counterexample.split(separator: "\n", omittingEmptySubsequences: false)
    lines.remove(at: line - 1)
    return lines.joined(separator: "\n")
  }

  static let refusals: [Refusal] = [
    Refusal(
      without(2),
      "line 2: the trace is of a plan with 1 command, but the plan in this file has 0. Lines were lost: copy the file again. To edit the plan, copy its lines to a new file."
    ),
    Refusal(
      without(3),
      #"line 3: this is not the header of a trace. Begin the file with {"trace":1,...}."#
    ),
    Refusal(
      without(4),
      "line 4: this is event 1, but event 0 is expected here. Lines were lost or moved: copy the file again."
    ),
    Refusal(
      without(5),
      "line 5: the verdict points to event 1, counted from 0, but the trace has 1 event. Lines were lost: copy the file again."
    ),
    Refusal(
      without(6),
      "line 6: the file ends after event 1, without a verdict. The file is incomplete: copy it again, or repeat the command that found the counterexample."
    ),
    Refusal(
      counterexample.split(separator: "\n").prefix(3).joined(separator: "\n") + "\n",
      "line 4: the file ends after the header of its trace, without a verdict. The file is incomplete: copy it again, or repeat the command that found the counterexample."
    ),
    Refusal(
      String(counterexample.prefix(139)),
      "line 3: the file ends in the middle of this line. The file is incomplete: copy it again, or remove this line if the lines before it suffice."
    ),
    Refusal(
      String(counterexample.prefix(98)),
      "line 2: the file ends after the plan, without a verdict. The file is incomplete: copy it again, or repeat the command that found the counterexample. To run the plan alone, remove \"counterexample\" from the first line."
    ),
    Refusal(
      counterexample + "{}",
      "line 7: a line follows the verdict. Keep one counterexample per file; its verdict is the last line."
    ),
    Refusal(
      replacing(#""trace":1"#, #""trace":2"#),
      "line 3: the trace is of version 2, and this lab reads version 1. Use a newer history-lab."
    ),
    Refusal(
      replacing(#""system""#, #""sytem""#),
      #"line 3: the header of a trace has the unknown key "sytem". Did you mean "system"?"#
    ),
    Refusal(
      replacing("purged\"", "purgde\""),
      #"line 5: "event" of an event cannot be "purgde". Did you mean "purged"?"#
    ),
    Refusal(
      replacing(#""transactions":["3"]"#, #""transactions":[3]"#),
      #"line 5: "transactions" of the event "purged" is [3]. Make it a list of strings."#
    ),
    Refusal(
      replacing(#""transactions":["3"]"#, #""transaction":"3""#),
      #"line 5: the event "purged" has the unknown key "transaction". Did you mean "transactions"?"#
    ),
    Refusal(
      replacing(#""command":0"#, #""command":5"#),
      #"line 4: the event "called" belongs to command 5, and the number of commands is 1. Count commands from 0, or copy the file again if lines of the plan are missing."#
    ),
    Refusal(
      replacing(#""verdict":"invalid""#, #""verdict":"valid""#),
      #"line 6: the verdict is "valid". Write "invalid", the only verdict of a counterexample."#
    ),
    Refusal(
      replacing(#""because""#, #""becuase""#),
      #"line 6: a verdict has the unknown key "becuase". Did you mean "because"?"#
    ),
  ]

  @Test(arguments: refusals)
  func `A damaged counterexample is refused with a message`(refusal: Refusal) {
    let error = #expect(throws: FormatError.self) {
      try CounterexampleCodec.decode(refusal.text)
    }
    #expect(error?.description == refusal.sentence)
  }

  @Test func `No truncated counterexample is accepted`() throws {
    let whole = try CounterexampleCodec.decode(Self.counterexample)
    #expect(CounterexampleCodec.encode(whole) == Self.counterexample)
    for length in 0..<Self.counterexample.count - 1 {
      let beginning = String(Self.counterexample.prefix(length))
      #expect(throws: FormatError.self) { try CounterexampleCodec.decode(beginning) }
      #expect(throws: FormatError.self, "\(beginning)") { try LabFile(beginning) }
    }
  }

  @Test func `A counterexample's plan section is a plan with a changed header`() throws {
    let beginning = Self.counterexample.split(separator: "\n").prefix(2)
      .map { $0.replacing(#""counterexample":1,"#, with: "") + "\n" }.joined()
    let whole = try CounterexampleCodec.decode(Self.counterexample)
    #expect(try LabFile(beginning) == .plan(whole.trace.header.plan))
  }

  @Test func `A counterexample of a newer version is refused`() {
    let newer = Self.replacing(#""counterexample":1"#, #""counterexample":2"#)
    let error = #expect(throws: FormatError.self) { try LabFile(newer) }
    #expect(error?.problem == "the counterexample is of version 2, and this lab reads version 1")
  }

  @Test(.property(cases: 8, seed: 1))
  func `A changed byte gives an error or a value, never a crash`() async throws {
    let counterexamples = RandomPlan.generator { try $0.counterexample() }
    try await property { source in
      let bytes = Array(CounterexampleCodec.encode(try source.draw(counterexamples)).utf8)
      // Most cases change more bytes than the average of 25.
      var changes = Repetition("change", 1...30, length: .mostlyLongest)
      while changes.next(&source) {
        var damaged = bytes
        let position = source.index(below: damaged.count)
        damaged[position] = UInt8(source.int(in: 0...255))
        Self.expectAnswer(String(decoding: damaged, as: UTF8.self), "byte \(position)")
      }
    }
  }

  /// Checks that a text is decoded, or refused with a line and an advice.
  private static func expectAnswer(_ text: String, _ change: Comment) {
    do {
      let read = try CounterexampleCodec.decode(text)
      #expect(CounterexampleCodec.encode(read).utf8.count > 0, change)
    } catch {
      #expect(error.line != nil && !error.advice.isEmpty, change)
    }
  }

  @Test func `The error of an incomplete trace header names the missing keys`() {
    for (text, sentence) in [
      ("", #"line 1: the file is empty. Begin it with {"trace":1,...}."#),
      (
        #"{"trace":1,"system":"x"}"#,
        #"line 1: the header lacks the key "plan". Add it with the whole plan as an object."#
      ),
      (
        #"{"trace":1,"plan":{"plan":1,"actors":[],"model":[{"entity":"A"}]},"system":"x"}"#,
        #"line 1: the plan lacks the key "commands". Add it with a list of commands."#
      ),
    ] {
      let error = #expect(throws: FormatError.self) { try TraceCodec.decode(text) }
      #expect(error?.description == sentence)
    }
  }
}
