import Foundation
import Testing

@testable import HistoryBenchmarks

/// Folders that other processes have left, or still use.
@Suite struct `Folders of other benchmarks` {
  private func withParent(_ body: (String) throws -> Void) throws {
    let parent = FileManager.default.temporaryDirectory
      .appendingPathComponent("left-over-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    let result = Result { try body(parent) }
    try FileManager.default.removeItem(atPath: parent)
    try result.get()
  }

  /// The highest number that Linux and macOS give a process is lower.
  private static let deadProcess = Int32.max

  @Test func `A folder whose process is not of this namespace is left alone`() throws {
    try withParent { parent in
      // So it looks to this process: a process with that number does not run here.
      let other = "\(parent)/history-lab-bench-\(Self.deadProcess)-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
      try ScratchFolder(in: parent).remove()
      #expect(FileManager.default.fileExists(atPath: other))
    }
  }

  @Test func `A file that cannot be removed does not end the benchmark`() throws {
    try withParent { parent in
      let other = "\(parent)/history-lab-bench-\(Self.deadProcess)-x"
      try Data().write(to: URL(fileURLWithPath: other))
      try ScratchFolder(in: parent).remove()
      #expect(FileManager.default.fileExists(atPath: other))
    }
  }

  /// Makes a folder that a process has left, or still uses, and returns what keeps it in use.
  private func makeFolder(_ path: String) throws -> FolderOwner {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: path + "/store.sqlite"))
    return try #require(FolderOwner(of: path))
  }

  @Test func `The folder of a dead process is removed, that of a living one is not`() throws {
    try withParent { parent in
      let (dead, living) = (
        "\(parent)/history-lab-bench-dead", "\(parent)/history-lab-bench-living"
      )
      // The kernel frees the lock when a process ends, as it does here.
      _ = try makeFolder(dead)
      let owner = try makeFolder(living)
      let own = try ScratchFolder(in: parent)
      #expect(!FileManager.default.fileExists(atPath: dead))
      #expect(FileManager.default.fileExists(atPath: living + "/store.sqlite"))
      try ScratchFolder(in: parent).remove()
      #expect(FileManager.default.fileExists(atPath: own.path))
      try own.remove()
      withExtendedLifetime(owner) {}
    }
  }

  @Test func `A dead process of another namespace or machine keeps its folder`() throws {
    try withParent { parent in
      let other = "\(parent)/history-lab-bench-other"
      _ = try makeFolder(other)
      try Data("0 another-boot pid:[1]".utf8).write(to: URL(fileURLWithPath: other + "/owner"))
      try ScratchFolder(in: parent).remove()
      #expect(FileManager.default.fileExists(atPath: other + "/store.sqlite"))
    }
  }

  @Test func `A link with the name of such a folder is left alone`() throws {
    try withParent { parent in
      let (real, link) = ("\(parent)/mine", "\(parent)/history-lab-bench-link")
      _ = try makeFolder(real)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
      try ScratchFolder(in: parent).remove()
      #expect(FileManager.default.fileExists(atPath: real + "/store.sqlite"))
    }
  }

  @Test func `A folder that cannot be listed does not end the benchmark`() throws {
    // Only the removal of left-overs is tried: no folder of its own can be made there.
    FolderOwner.removeIfDead("/nowhere/history-lab-bench-1")
    #expect(FolderOwner(of: "/nowhere") == nil)
  }
}
