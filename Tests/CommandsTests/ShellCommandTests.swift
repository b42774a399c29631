import Foundation
import HistoryLab
import LabFixtures
import Testing

@testable import Commands

@Suite struct `The typed command` {
  /// Files by their paths, each with its resolved path.
  private static let files = [
    "/work/lab/.build/release/history-lab": "new",
    "/work/lab/.build/linux/release/history-lab": "new",
    "/home/me/bin/history-lab": "new", "/usr/bin/history-lab": "old",
  ]

  private static func find(_ typed: String, in folder: String, path: String = "/bin") -> String {
    ShellCommand.find(
      executable: "/work/lab/.build/linux/release/history-lab",
      typed: typed,
      folder: folder,
      searchPath: path,
      identity: { files[$0] }
    ).text
  }

  @Test func `Below the current folder the command is a relative path, as typed`() {
    #expect(
      Self.find(".build/release/history-lab", in: "/work/lab") == ".build/release/history-lab"
    )
    #expect(
      Self.find("/work/lab/.build/release/history-lab", in: "/work/lab")
        == ".build/release/history-lab"
    )
    #expect(
      Self.find("../lab/.build/release/history-lab", in: "/work/lab")
        == ".build/release/history-lab"
    )
    #expect(Self.find("./history-lab", in: "/work/lab/.build/release") == "./history-lab")
  }

  @Test func `Elsewhere the command is an absolute path, quoted for a shell`() {
    #expect(
      Self.find("../lab/.build/release/history-lab", in: "/work/other")
        == "/work/lab/.build/release/history-lab"
    )
    let spaced = ShellCommand.find(
      executable: "/my lab/history-lab",
      typed: "history-lab",
      folder: "/",
      searchPath: "",
      identity: { $0 }
    )
    #expect(spaced.text == "'my lab/history-lab'")
  }

  @Test func `The command is a plain name if a shell finds this executable by it`() {
    let mine = "/nowhere:/home/me/bin:/usr/bin"
    #expect(Self.find("history-lab", in: "/work/lab", path: mine) == "history-lab")
    #expect(Self.find(".build/release/history-lab", in: "/work/lab", path: mine) == "history-lab")
    let other = "/usr/bin:/home/me/bin"
    #expect(
      Self.find(".build/release/history-lab", in: "/work/lab", path: other)
        == ".build/release/history-lab"
    )
  }

  @Test func `A link resolves to its executable`() async throws {
    try await withFolder { folder in
      let manager = FileManager.default
      try manager.createDirectory(atPath: "\(folder)/bin", withIntermediateDirectories: true)
      try makeFile("\(folder)/built")
      try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/built")
      try manager.createSymbolicLink(
        atPath: "\(folder)/bin/history-lab",
        withDestinationPath: "\(folder)/built"
      )
      func find(_ path: String) -> String {
        ShellCommand.find(
          executable: "\(folder)/built",
          typed: "history-lab",
          folder: folder,
          searchPath: path
        ).text
      }
      #expect(find("\(folder)/bin") == "history-lab")
      #expect(find("/bin") == "./built")
    }
  }

  @Test func `Errors, hints and help name the command as typed`() async throws {
    let typed = TestTerminal(command: ShellCommand(text: ".build/release/history-lab"))
    #expect(
      await run(["chekc"], on: typed).errors.hasSuffix("Try: .build/release/history-lab --help\n")
    )
    let system = TestTerminal(command: ShellCommand(text: ".build/release/history-lab"))
    #expect(
      await run(["check", "--system", "artcle"], on: system).errors
        .hasSuffix("Try: .build/release/history-lab list systems\n")
    )
    let help = TestTerminal(command: ShellCommand(text: ".build/release/history-lab"))
    let text = await run(["check", "--help"], on: help).output
    #expect(text.contains("\n  .build/release/history-lab check [OPTIONS]\n"))
    #expect(text.contains("\n  .build/release/history-lab check --system article"))
  }

  @Test func `An argument that is not valid UTF-8 is reported`() async {
    let kept = TestTerminal()
    let lab = Lab(tool: .historyLab, composition: .sample, terminal: kept.terminal)
    let code = await lab.run(bytes: [Array("inspect".utf8), [0x63, 0x61, 0x66, 0xE9]])
    #expect(code == .usage)
    #expect(
      kept.errors.text == "history-lab: argument 2, \"caf\u{FFFD}\", is not text in UTF-8. "
        + "Rename the file, or create a link to it whose name is in UTF-8, and pass the link.\n"
    )
    #expect(await lab.run(bytes: [Array("--version".utf8)]) == .good)
  }
}
