import Foundation
import LabFixtures
import Testing

@testable import Commands

@Suite struct `Scratch folders` {
  @Test func `Folders of dead runs are removed by the next run`() async throws {
    try await withFolder { folder in
      let run = try makeRun(folder, "dead")
      var scratch: ScratchFolder? = try ScratchFolder(in: run)
      let store = try scratch?.makeFolder("store")
      try makeFile("\(store ?? "")/shared.store")
      scratch = nil
      ScratchFolder.removeDead(in: folder)
      #expect(try FileManager.default.contentsOfDirectory(atPath: run).isEmpty)
    }
  }

  @Test func `The folder of a running process is kept`() async throws {
    try await withFolder { folder in
      let scratch = try ScratchFolder(in: try makeRun(folder, "living"))
      ScratchFolder.removeDead(in: folder)
      #expect(FileManager.default.fileExists(atPath: scratch.path))
      try scratch.remove()
      #expect(!FileManager.default.fileExists(atPath: scratch.path))
    }
  }

  @Test func `A folder without a lock may be new and is kept`() async throws {
    try await withFolder { folder in
      let scratch = try makeRun(folder, "new") + "/scratch"
      try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
      ScratchFolder.removeDead(in: folder)
      #expect(FileManager.default.fileExists(atPath: scratch))
    }
  }

  @Test func `A kept folder gets a name that no run removes`() async throws {
    try await withFolder { folder in
      let run = try makeRun(folder, "kept")
      var scratch: ScratchFolder? = try ScratchFolder(in: run)
      _ = try scratch?.makeFolder("store")
      try scratch?.keep(as: "left")
      scratch = nil
      ScratchFolder.removeDead(in: folder)
      #expect(try FileManager.default.contentsOfDirectory(atPath: run) == ["left"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: run + "/left") == ["store"])
    }
  }

  @Test func `Only the user can access the folder`() async throws {
    try await withFolder { folder in
      let scratch = try ScratchFolder(in: try makeRun(folder, "mine"))
      for path in [scratch.path, try scratch.makeFolder("store")] {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        #expect(facts[.posixPermissions] as? Int == 0o700)
      }
    }
  }

  private func makeRun(_ folder: String, _ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
