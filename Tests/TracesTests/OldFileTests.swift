import Foundation
import HistoryTypes
import Testing

@testable import Traces

/// The files in `Fixtures` never change: each version of a format stays readable permanently.
@Suite struct OldFileTests {
  private static func fixture(_ name: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return try String(contentsOf: folder.appending(path: "Fixtures/\(name)"), encoding: .utf8)
  }

  @Test func `A plan of version 1 with every key written out is read`() throws {
    let plan = try PlanCodec.decode(Self.fixture("plan-1.jsonl"))
    #expect(plan.header.seed == 0x2a)
    #expect(plan.header.timestamps == .wallClock)
    #expect(plan.header.drive == .signals)
    #expect(plan.header.actors.map(\.launched) == [true, false])
    #expect(plan.header.actors[1].ignores == ["photos"])
    #expect(
      plan.header.retention == PlannedRetention(age: 604_800, transactions: 100, bytes: 65_536)
    )
    // Except the commands that later versions added.
    let words = Set(plan.commands.map(\.action.word))
    let later = ["belated", "query", "watch", "read", "suspend", "resume"]
    #expect(words == Set(CommandWord.allCases.map(\.rawValue)).subtracting(later))
    let text = PlanCodec.encode(plan)
    #expect(PlanCodec.encode(try PlanCodec.decode(text)) == text)
  }

  @Test func `A counterexample of version 1 is read`() throws {
    let counterexample = try CounterexampleCodec.decode(Self.fixture("counterexample-1.jsonl"))
    #expect(counterexample.violation.checker == "PurgeSafety")
    #expect(counterexample.violation.transaction == "1")
    let words = Set(counterexample.trace.events.map(\.kind.word))
    // Words that later versions added.
    let later: [EventWord] = [
      .damaged, .finished, .passed, .answered, .listed, .received, .suspended, .resumed, .locks,
    ]
    #expect(words == Set(EventWord.allCases).subtracting(later))
    // A later version added the key that marks a counterexample.
    let text = CounterexampleCodec.encode(counterexample)
    #expect(
      text.replacing(#""counterexample":1,"#, with: "")
        == (try Self.fixture("counterexample-1.jsonl"))
    )
  }
}
