import HistoryTypes
import Testing
import Traces

@testable import Reporting

@Suite struct CounterexampleTextTests {
  private static let replay = "history-lab replay counterexample.jsonl"

  private static func text(
    _ counterexample: Counterexample,
    width: Int = 100,
    colour: Bool = false
  ) -> String {
    CounterexampleText(width: width, colour: colour).render(counterexample, replay: replay)
  }

  /// The samples, and their expected output at a width.
  private static let samples: [@Sendable () throws -> Counterexample] = [
    CounterexampleSamples.purge, CounterexampleSamples.convergence, CounterexampleSamples.crowd,
    CounterexampleSamples.hostile,
  ]

  @Test func `Three actors and a consumer have a column each in 100 columns`() throws {
    #expect(
      Self.text(try CounterexampleSamples.purge()) == """
        article violates PurgeSafety in 9 commands (seed 0x2a)

              │ app                             │ widget      │ share                           │ mirror
        ──────┼─────────────────────────────────┼─────────────┼─────────────────────────────────┼───────────
          1 ╭ │                                 │             │ insert Item/3 {title: "a"}      │
            │ │                                 │             │ -> #1                           │
          2 │ │ update Item/3 {count: 7,        │             │                                 │
            │ │ title: "a longer title …"},     │             │                                 │
            │ │ delete Item/12 (in background,  │             │                                 │
            │ │ as photos) -> #2                │             │                                 │
          3 │ │                                 │ fetch #1 #2 │                                 │
          4 │ │                                 │             │                                 │ consume #1
          5 │ · clock +1 day
          6 │ │                                 │ merge #1 #2 │                                 │
          7 │ │                                 │             │ crash                           │
          8 │ │                                 │ record #2   │                                 │
        > 9 ╰ │                                 │ purge #1 #2 │                                 │
              · 2 closing steps: catch up

        share wrote #1; widget merged through #2 and purged #1 before app had merged it.
        #1 was written by share in step 1, consumed by mirror in step 4, merged by widget in step 6, purged
        by widget in step 9.

        Replay: history-lab replay counterexample.jsonl

        """
    )
  }

  @Test func `A narrow terminal has a column for the actor and one for the event`() throws {
    #expect(
      Self.text(try CounterexampleSamples.purge(), width: 66) == """
        article violates PurgeSafety in 9 commands (seed 0x2a)

              │ actor  │ event
        ──────┼────────┼──────────────────────────────────────────────────
          1 ╭ │ share  │ insert Item/3 {title: "a"} -> #1
          2 │ │ app    │ update Item/3 {count: 7, title: "a longer title
            │ │        │ …"}, delete Item/12 (in background, as photos)
            │ │        │ -> #2
          3 │ │ widget │ fetch #1 #2
          4 │ │ mirror │ consume #1
          5 │ · clock +1 day
          6 │ │ widget │ merge #1 #2
          7 │ │ share  │ crash
          8 │ │ widget │ record #2
        > 9 ╰ │ widget │ purge #1 #2
              · 2 closing steps: catch up

        share wrote #1; widget merged through #2 and purged #1 before app
        had merged it.
        #1 was written by share in step 1, consumed by mirror in step 4,
        merged by widget in step 6, purged by widget in step 9.

        Replay: history-lab replay counterexample.jsonl

        """
    )
  }

  @Test func `A view that differs from the data at the end is described by its differences`() throws
  {
    #expect(
      Self.text(try CounterexampleSamples.convergence()) == """
        article violates Convergence in 5 commands (seed 0x2a)

              │ app                                      │ widget
        ──────┼──────────────────────────────────────────┼──────────────────────────────────────────────────
          1   │ insert Item/1 {title: "a"} -> #1         │
          2   │                                          │ pass: merge #1, record #1
          3   │ pass: record #1                          │
          4   │ insert Item/2 {title: "b"} -> #2         │
          5   │ purge fails (busy): the store was locked │
              · 3 closing steps: catch up, data, view
        >     │                                          │ view has Item/1 {title: "z"} instead of
              │                                          │ {title: "a"}, lacks Item/2 {title: "b"}

        widget's view lacks Item/2.

        Replay: history-lab replay counterexample.jsonl

        """
    )
  }

  @Test func `The lost transaction is yellow until it is lost and red at its loss`() throws {
    let lines = Self.text(try CounterexampleSamples.purge(), colour: true)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let yellow = "\u{1b}[1;33m"
    let red = "\u{1b}[1;31m"
    let end = "\u{1b}[0m"
    #expect(lines[0].hasPrefix("\u{1b}[1marticle violates PurgeSafety"))
    #expect(lines[4].hasPrefix("  1 \(yellow)╭\(end) │"))
    #expect(lines[5].contains("-> \(yellow)#1\(end)"))
    #expect(lines.contains { $0.contains("fetch \(yellow)#1\(end) #2") })
    #expect(lines.contains { $0.hasPrefix("\(red)>\(end) 9 \(red)╰\(end) │") })
    #expect(lines.contains { $0.contains("\(red)purge #1 #2\(end)") })
    #expect(
      lines.contains { $0.hasSuffix("\u{1b}[2m · 2 closing steps: catch up\(end)") }
    )
  }

  @Test func `After its loss the transaction is not coloured`() throws {
    var script = try TraceScript(["app", "widget"])
    script.insert("app", 1, "a", as: "1")
    script.run(.purge("app"), .purged(["1"]))
    script.run(.fetch("widget"), .fetched(["1", "11"]))
    let counterexample = script.broken("PurgeSafety", because: "early", transaction: "1") {
      $0 == .purged(["1"])
    }
    let lines = Self.text(counterexample, colour: true).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  3   │") && $0.hasSuffix("│ fetch #1 #11") })
  }

  @Test func `Without colour no escape sequence is printed, whatever the trace holds`() throws {
    for sample in Self.samples {
      let text = Self.text(try sample())
      #expect(
        !text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" }
      )
    }
  }

  @Test(arguments: [30, 48, 66, 80, 100, 160])
  func `No line is wider than the terminal, in colour or not`(width: Int) throws {
    for sample in Self.samples {
      let counterexample = try sample()
      let plain = Self.text(counterexample, width: width)
      for line in plain.split(separator: "\n") where !line.hasPrefix("Replay: ") {
        #expect(CounterexampleCell.width(line) <= width, "\(line)")
      }
      let colourful = Self.text(counterexample, width: width, colour: true)
      #expect(colourful.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain)
    }
  }

  @Test func `Overlapping commands are printed step by step, and automatic ones without a number`()
    throws
  {
    var script = try TraceScript(["app", "widget"])
    script.plan.commands = [Command(.fetch("app")), Command(.merge("widget"))]
    script.happen("app", .called(command: 0, word: "fetch"))
    script.happen("widget", .called(command: 1, word: "merge"))
    script.happen("app", .fetched(["1"]))
    script.happen("widget", .merged(["2"]))
    script.happen("app", .ended(command: 0, .ok))
    script.happen("app", .signalled)
    script.happen("app", .woke)
    script.happen("widget", .ended(command: 1, .unknown(SystemFailure(.io, "torn"))))
    let counterexample = script.broken("MergeOrder", because: "it did") { $0 == .merged(["2"]) }
    let lines = Self.text(counterexample).split(separator: "\n").dropFirst(3)
    #expect(
      Array(lines.prefix(3)) == [
        "  1   │ fetch #1 │",
        "> 2   │          │ merge #2, may have failed (io): torn",
        "      │ wakes    │",
      ]
    )
  }

  @Test func `Launches, crashes and skipped commands are printed`() throws {
    var script = try TraceScript(["app", "widget"])
    script.run(.launch("app"), .registered(cursor: "7"))
    script.run(.crash("app"), .crashed)
    script.run(.launch("app"), .launched(cursor: nil))
    script.plan.commands.append(Command(.merge("widget")))
    script.happen("widget", .skipped(command: 3, because: "widget is stopped"))
    script.run(.pass("app"), .expired, outcome: .failed(SystemFailure(.expired, "resync")))
    let counterexample = script.broken("LoudExpiry", because: "late") { $0 == .expired }
    #expect(
      Self.text(counterexample).split(separator: "\n").dropFirst(3).prefix(6) == [
        "  1   │ launch as a new member at #7              │",
        "  2   │ crash                                     │",
        "  3   │ launch without a cursor                   │",
        "  4   │                                           │ (skipped) widget is stopped",
        "> 5   │ pass: gets the error that history expired │",
        "late.",
      ]
    )
  }

  @Test func `Closing steps that involve the lost transaction are printed`() throws {
    var script = try TraceScript(["app", "widget"])
    script.insert("app", 1, "a", as: "1")
    script.close("app", "fetch", .fetched([]))
    script.close("widget", "merge", .merged(["1"]))
    script.close("app", "fetch", .fetched([]))
    script.happen(nil, .data(CounterexampleSamples.items([1: "a"])))
    let counterexample = script.broken(
      "NoLostTransaction",
      because: "app never merged #1",
      transaction: "1"
    ) {
      if case .data = $0 { true } else { false }
    }
    #expect(
      Self.text(counterexample).split(separator: "\n").dropFirst(3).prefix(5) == [
        #"  1 ╭ │ insert Item/1 {title: "a"} -> #1 │"#,
        "    │ · 1 closing step: catch up",
        "    │ │                                  │ catch up: merge #1",
        "    │ · 2 closing steps: catch up, data",
        ">   ╰ · everyone has caught up",
      ]
    )
  }
}
