import Foundation
import LabFixtures
import Reporting
import Testing

@testable import Commands
@testable import HistoryLab

/// How the command and its install script find their files.
@Suite struct `The install script` {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// Creates a built package whose command only prints its version.
  private func makePackage(_ folder: String) async throws {
    let manager = FileManager.default
    for name in ["scripts", ".build/release"] {
      try manager.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    for name in ["install", "lib.sh"] {
      try manager.copyItem(
        atPath: "\(Self.root)/scripts/\(name)",
        toPath: "\(folder)/scripts/\(name)"
      )
    }
    let command = "\(folder)/.build/release/history-lab"
    // A shell writes the file. If this process wrote it, a child that another test starts at that moment
    // would have the file open for writing, and the file could not be executed ("Text file busy").
    let script = #"printf '#!/bin/sh\necho history-lab 9.9\n' >"$0" && chmod 755 "$0""#
    let made = try await ProgramOutput.text(of: "/bin/sh", ["-c", script, command])
    try #require(made.code == 0, "\(made)")
  }

  private func install(
    _ package: String,
    _ words: String...,
    path: String = "/usr/bin:/bin"
  ) async throws -> (text: String, code: Int32) {
    try await ProgramOutput.text(
      of: "/usr/bin/env",
      ["bash", "\(package)/scripts/install"] + words,
      environment: ["HOME": "\(package)/home", "PATH": path]
    )
  }

  @Test func `The install script links the release build below the home folder or a prefix`()
    async throws
  {
    try await withFolder { folder in
      let package = "\(folder)/my lab"
      try await makePackage(package)
      let home = try await install(package)
      let link = "\(package)/home/.local/bin/history-lab"
      #expect(home.code == 0, "\(home)")
      #expect(home.text.hasPrefix("Installed history-lab 9.9: \(link)\n"))
      #expect(home.text.contains("\(package)/home/.local/bin is not on the PATH. Add it: export"))
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: link)
      #expect(target == "\(package)/.build/release/history-lab")
      // Again, with the command on the PATH.
      let path = "/usr/bin:/bin:\(folder)/bin"
      for _ in 1...2 {
        let other = try await install(package, "--prefix", folder, path: path)
        #expect(other.code == 0)
        #expect(other.text == "Installed history-lab 9.9: \(folder)/bin/history-lab\n")
      }
    }
  }

  @Test func `The install script replaces only its own links and names the error`() async throws {
    try await withFolder { folder in
      try await makePackage(folder)
      try FileManager.default.createDirectory(
        atPath: "\(folder)/bin",
        withIntermediateDirectories: true
      )
      try makeFile("\(folder)/bin/history-lab", "mine")
      let taken = try await install(folder, "--prefix", folder)
      #expect(taken.code == 64 && taken.text.contains("is no link to a history-lab"), "\(taken)")
      #expect(try String(contentsOfFile: "\(folder)/bin/history-lab", encoding: .utf8) == "mine")
      let bare = try await install(folder, "--prefix")
      #expect(bare.code == 64 && bare.text.contains("--prefix needs a folder"), "\(bare)")
      #expect(try await install(folder, "--prefx").code == 64)
      let noFolder = try await install(folder, "--prefix=\(folder)/bin/history-lab")
      #expect(noFolder.code == 70 && noFolder.text.contains("cannot be made"), "\(noFolder)")
    }
  }

  @Test func `The chart tool is found next to the executable, from any current folder`()
    async throws
  {
    try await withFolder { folder in
      let manager = FileManager.default
      for name in [".tools/bin", ".build/linux/release", "elsewhere"] {
        try manager.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
      }
      let built = "\(folder)/.build/linux/release/history-lab"
      try makeFile(built)
      let link = "\(folder)/elsewhere/history-lab"
      try manager.createSymbolicLink(atPath: link, withDestinationPath: built)
      func tools(_ executable: String?, _ environment: [String: String] = [:]) -> String {
        ChartTool.folder(
          environment: environment,
          currentFolder: "/somewhere",
          executable: executable
        )
      }
      let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
      #expect(tools(built) == "\(real)/.tools")
      #expect(tools(link) == "\(real)/.tools")
      #expect(tools(nil) == "/somewhere/.tools")
      #expect(tools("/bin/sh") == "/somewhere/.tools")
      #expect(tools(built, ["HISTORY_LAB_TOOLS": "/mine"]) == "/mine")
    }
  }
}
