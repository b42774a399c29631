import Foundation
import LabFixtures
import Synchronization
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

@Suite struct `The verb replay` {
  /// A plan of three commands that breaks PurgeSafety at the last, and never CursorProgress.
  private static let plan = """
    {"actors":[{"author":"app","id":"app"},{"author":"widget","id":"widget"}],\
    "model":[{"attributes":[{"name":"title","type":"string"}],"entity":"Item"}],"plan":1,"seed":"0x1"}
    {"actor":"app","changes":[{"object":"Item/1","op":"insert","values":{"title":"a"}}],"do":"write"}
    {"actor":"app","do":"pass"}
    {"actor":"app","do":"purge"}

    """
  private static let mistaken = "greatest-cursor"

  /// Replays the plan with further arguments, on a terminal with pressed keys or without one.
  private func replay(
    _ words: String...,
    system: String = mistaken,
    keys: [UInt8]? = nil
  ) async throws -> (code: ExitCode, output: String, errors: String) {
    try await withFolder { folder in
      try makeFile("\(folder)/plan.jsonl", Self.plan)
      let kept = TestTerminal(keys: keys)
      let line = ["replay", "\(folder)/plan.jsonl", "--system", system] + words
      return await run(line, composition: .current, on: kept)
    }
  }

  @Test func `A replay without a violation names the system`() async throws {
    let result = try await replay(system: "tracker")
    #expect(result.code == .good)
    #expect(
      result.output.hasPrefix("tracker: 3 commands; every invariant that they exercise holds.\n")
    )
  }

  @Test func `Actor names of a plan cannot control the terminal`() async throws {
    try await withFolder { folder in
      let name = "a\\u001b[31mp\\np"
      let plan = Self.plan.replacingOccurrences(of: "\"app\"", with: "\"\(name)\"")
      try makeFile("\(folder)/plan.jsonl", plan)
      for words in [[], ["--step"]] {
        let line = ["replay", "\(folder)/plan.jsonl", "--system", Self.mistaken] + words
        let result = await run(line, composition: .current, on: TestTerminal(keys: nil))
        #expect(result.code == .violation, "\(result.errors)")
        #expect(!result.output.contains("\u{1b}"))
        #expect(!result.output.contains("[31mp\np"))
      }
    }
  }

  @Test func `A walk shows each command and every cursor after it`() async throws {
    let result = try await replay("--step")
    #expect(result.code == .violation)
    #expect(
      result.output == """
          -  app: launch as a new member
            who     cursor             holds
            ------  -----------------  -------------------------------
            app     nothing            view: nothing
            widget  none               (does not run)
            store   watermark nothing  data: nothing; history: nothing

          -  widget: launch as a new member
            who     cursor             holds
            ------  -----------------  -------------------------------
            app     nothing            view: nothing
            widget  nothing            view: nothing
            store   watermark nothing  data: nothing; history: nothing

          1/3  app: insert Item/1 {title: "a"} -> #1
            who     cursor             holds
            ------  -----------------  --------------------------------------
            app     nothing            view: Item/1 {title: "a"}
            widget  nothing            view: nothing
            store   watermark nothing  data: Item/1 {title: "a"}; history: #1

          2/3  app: pass: record #1
            who     cursor             holds
            ------  -----------------  --------------------------------------
            app     #1                 view: Item/1 {title: "a"}
            widget  nothing            view: nothing
            store   watermark nothing  data: Item/1 {title: "a"}; history: #1

        > 3/3  app: purge #1
            who     cursor             holds
            ------  -----------------  -------------------------------------------
            app     #1                 view: Item/1 {title: "a"}
            widget  nothing            view: nothing
            store   watermark nothing  data: Item/1 {title: "a"}; history: nothing

        The plan and the closing passes and reads have ended.
        PurgeSafety: broken. app wrote #1; app purged #1 before widget had merged it (widget had \
        recorded nothing).

        """
    )
  }

  @Test func `On a terminal a key continues, and q quits`() async throws {
    let one = try await replay("--step", keys: [0x20, 0x71])
    #expect(one.output.contains("widget: launch") && !one.output.contains("1/3"))
    #expect(one.code == .violation)
    let all = try await replay("--step", keys: Array(repeating: 0x0a, count: 9))
    #expect(
      all.output.contains("> 3/3") && all.output.contains("closing passes and reads have ended")
    )
    // At the end of the key input the walk ends.
    #expect(!(try await replay("--step", keys: [])).output.contains("widget: launch"))
  }

  @Test func `With --until, later violations are not reported`() async throws {
    let two = try await replay("--until", "2")
    #expect(two.code == .good)
    #expect(two.output.contains("  2/3  app: pass"))
    #expect(two.output.contains("store   watermark nothing  data: Item/1"))
    #expect(!two.output.contains("3/3"))
    #expect(
      two.output.hasSuffix("Stopped after command 2 of 3.\nNo invariant is broken so far.\n")
    )
    let three = try await replay("--until", "3")
    #expect(three.code == .violation && three.output.contains("PurgeSafety: broken."))
    let walked = try await replay("--until", "1", "--step")
    #expect(walked.code == .good && walked.output.contains("Stopped after command 1 of 3."))
    let json = try await replay("--until", "1", "--json")
    let trace = try TraceCodec.decode(json.output)
    #expect(trace.header.plan.commands.count == 1)
    #expect(trace.events.last?.kind == .ended(command: 0, .ok))
  }

  @Test func `A command missing from the plan is refused with a list of its commands`()
    async throws
  {
    let result = try await replay("--until", "4")
    #expect(result.code == .usage && result.output.isEmpty)
    #expect(
      result.errors.contains("--until 4: the plan has 3 commands. Give a number from 1 to 3.")
    )
    #expect(try await replay("--until", "0").code == .usage)
    let both = try await replay("--step", "--json")
    #expect(both.code == .usage && both.errors.contains("leave out one of them"))
  }

  @Test func `Inspection has no effect: after a walk the verdict is the same`() async throws {
    for system in ["tracker", "article", Self.mistaken] {
      let plain = try await replay(system: system)
      let walked = try await replay("--step", system: system)
      #expect(plain.code == walked.code, "\(system)")
    }
  }

  @Test func `A counterexample is shown by the invariant that it violates`() async throws {
    try await withFolder { folder in
      let check = [
        "check", "--system", "article", "--plans", "12", "--seed", "1", "--output", folder,
      ]
      _ = await run(check, composition: .current)
      let run = "\(folder)/latest"
      let names = try FileManager.default.contentsOfDirectory(atPath: run)
      let pages = names.filter { $0.hasPrefix("counterexample-") && $0.hasSuffix(".html") }
      #expect(pages.count >= 3)
      for page in pages {
        let stem = page.dropLast(".html".count)
        let checker = try #require(stem.split(separator: "-").last)
        let kept = await LabFixtures.run(
          ["replay", "\(run)/\(stem).jsonl"],
          composition: .current
        )
        #expect(kept.output.hasPrefix("article violates \(checker)"))
        let html = try String(contentsOfFile: "\(run)/\(page)", encoding: .utf8)
        #expect(html.contains("<h1>article violates \(checker)"))
        #expect(html.contains("./\(stem).jsonl") && html.contains("<svg role=\"img\""))
      }
    }
  }

  @Test(arguments: [
    (folder: "a/b", file: "a/c/d.html", way: "../c/d.html"),
    (folder: "a", file: "a/d.html", way: "d.html"), (folder: "", file: "d.html", way: "d.html"),
    (folder: "/x", file: "/y/d.html", way: "../y/d.html"),
  ])
  func `Links are relative to the page's folder`(
    folder: String,
    file: String,
    way: String
  ) {
    #expect(RelativePath.path(from: folder, to: file) == way)
  }
}
