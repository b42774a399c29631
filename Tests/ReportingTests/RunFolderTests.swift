import Foundation
import Measuring
import TestSupport
import Testing

@testable import Reporting

@Suite struct `Run folders` {
  private let record = RunRecord(
    verb: "bench",
    commandLine: ["history-lab", "bench", "run"],
    environment: Sample.environment
  )

  @Test(arguments: [
    ("c", ""), ("c/", ""), ("", ""), ("/", "/"), ("/c", "/"), ("c/d", "c"), ("c//d/", "c"),
    ("/a/b/c", "/a/b"), ("../c", ".."),
  ])
  func `The parent of a path is known for names of one letter, too`(path: String, parent: String) {
    #expect(FolderAccess.parent(of: path) == parent)
  }

  @Test func `A run without an output is in Reports and is the latest`() throws {
    let folder = try TemporaryFolder()
    let run = try RunFolder.create(for: record, currentFolder: folder.path)
    #expect(run.path == folder.path + "/Reports/runs/20260203T040506Z-bench")
    #expect(try folder.target("Reports/latest") == "runs/20260203T040506Z-bench")
    #expect(folder.text("Reports/latest/run.json") != nil)
  }

  @Test func `Temporary files of another node's process with the same ID do not interfere`() throws
  {
    let folder = try TemporaryFolder()
    let manager = FileManager.default
    let runs = folder.path + "/runs"
    try manager.createDirectory(atPath: runs, withIntermediateDirectories: true)
    let other = folder.path + "/latest.\(getpid())"
    try manager.createSymbolicLink(atPath: other, withDestinationPath: "runs/another")
    let run = try RunFolder.create(for: record, output: runs, currentFolder: folder.path)
    #expect(try folder.target("latest") == "runs/\(run.name)")
    #expect(try folder.target("latest.\(getpid())") == "runs/another")
  }

  @Test func `A custom output has its own runs and its own latest link`() throws {
    let folder = try TemporaryFolder()
    let run = try RunFolder.create(for: record, output: "mine/", currentFolder: folder.path)
    #expect(run.path == folder.path + "/mine/20260203T040506Z-bench")
    #expect(try folder.target("mine/latest") == "20260203T040506Z-bench")
  }

  @Test func `Two runs in the same second have different folders`() throws {
    let folder = try TemporaryFolder()
    let first = try RunFolder.create(for: record, currentFolder: folder.path)
    try first.writeFile("results.csv", "first")
    let second = try RunFolder.create(for: record, currentFolder: folder.path)
    #expect(second.name == "20260203T040506Z-bench-2")
    #expect(folder.text("Reports/runs/20260203T040506Z-bench/results.csv") == "first")
    #expect(try folder.target("Reports/latest") == "runs/20260203T040506Z-bench-2")
  }

  @Test func `The record states how to repeat the run and its outcome`() throws {
    let folder = try TemporaryFolder()
    let run = try RunFolder.create(for: record, currentFolder: folder.path)
    var done = record
    done.verdict = "valid"
    done.because = "all held"
    try run.write(done)
    let text = try #require(folder.text("Reports/latest/run.json"))
    #expect(try JSONDecoder().decode(RunRecord.self, from: Data(text.utf8)) == done)
    #expect(text.contains("\"run\" : 1"))
    #expect(text.contains("\"seed\" : \"0x2a\""))
    let files = try FileManager.default.contentsOfDirectory(atPath: run.path)
    #expect(files == ["run.json"])
  }

  @Test func `A folder whose parent is missing is refused`() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: RunFolderError.self) {
      try RunFolder.create(for: record, output: "no/where", currentFolder: folder.path)
    }
    #expect(
      error?.description == "cannot make the folder \(folder.path)/no/where: its parent folder "
        + "does not exist; make that folder first, or choose another with --output"
    )
  }

  @Test func `A file with the folder's name is kept`() throws {
    let folder = try TemporaryFolder()
    try folder.makeFile("out", "mine")
    let error = #expect(throws: RunFolderError.self) {
      try RunFolder.create(for: record, output: "out", currentFolder: folder.path)
    }
    #expect(error?.description.contains("a file is in the way") == true)
    #expect(folder.text("out") == "mine")
  }

  @Test func `Another file named latest is not replaced`() throws {
    let folder = try TemporaryFolder()
    try folder.makeFile("out/latest", "mine")
    let error = #expect(throws: RunFolderError.self) {
      try RunFolder.create(for: record, output: "out", currentFolder: folder.path)
    }
    #expect(error?.attempt == .notALink)
    #expect(folder.text("out/latest") == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out") == ["latest"])
  }

  @Test(.needs(.secondUser)) func `A folder without permission is refused`() async {
    // In a separate process that drops root privileges, because root may write everywhere.
    await #expect(processExitsWith: .success) {
      if geteuid() == 0 { try #require(setuid(65_534) == 0) }
      let folder = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: folder.path + "/locked",
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o555]
      )
      let record = RunRecord(verb: "bench", commandLine: [], environment: Sample.environment)
      let error = try #require(throws: RunFolderError.self) {
        try RunFolder.create(for: record, output: "locked", currentFolder: folder.path)
      }
      try #require(error.code == EACCES)
    }
  }

  #if os(Linux)
  @Test(.needs(.processFiles))
  func `An unwritable folder is refused without a crash`() {
    let error = #expect(throws: RunFolderError.self) {
      try RunFolder.create(for: record, output: "/proc/self", currentFolder: "/")
    }
    #expect(error?.attempt == .cannotMakeFolder)
  }
  #endif

  @Test(arguments: [
    (code: EACCES, part: "you may not write there; choose a folder that you may write to"),
    (code: EROFS, part: "the disk is mounted read-only; choose a folder that you may write to"),
    (code: ENOENT, part: "its parent folder does not exist; make that folder first"),
    (code: ENOTDIR, part: "a file is in the way; choose another folder"),
    (code: ENOSPC, part: "the disk is full; free some space"),
    (code: ENAMETOOLONG, part: "the name is too long; choose another folder"),
  ])
  func `Each reason has its message`(code: Int32, part: String) {
    let error = RunFolderError(.cannotMakeFolder, path: "/out", code: code)
    #expect(error.description.hasPrefix("cannot make the folder /out: \(part)"))
    #expect(error.description.hasSuffix("--output"))
  }
}
