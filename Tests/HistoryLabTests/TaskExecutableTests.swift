import Foundation
import LabFixtures
import TestSupport
import Testing

@testable import Campaigns
@testable import Commands
@testable import HistoryLab

@Suite(.serialized, .blocksItsThread) struct `The executable of a worker` {
  @Test func `A task during which another build replaced the program is not counted`()
    async throws
  {
    try await withFolder { folder in
      let (program, campaign) = (folder + "/history-lab", folder + "/c")
      try makeFile(program, "old")
      var composition = Composition.current
      composition.command = program
      let added = await run(
        ["campaign", "add", campaign, "--parts", "2", "--", "check"],
        composition: composition
      )
      #expect(added.code == .good, "\(added.errors)")
      composition[CampaignCommands.self].shell = { (_, _, _) throws(CampaignError) in
        do {
          try FileManager.default.removeItem(atPath: program)
          try makeFile(program, "new")
        } catch { Issue.record(error) }
        return .code(0)
      }
      let worked = await run(["campaign", "work", campaign], composition: composition)
      #expect(worked.code == .usage && worked.errors.contains("was replaced"), "\(worked.errors)")
      #expect(try CampaignStatus(CampaignFolder(opening: campaign)).done == 0)
    }
  }

  @Test func `A copy of the same build may replace the program if its hash is known`()
    async throws
  {
    try await withFolder { folder in
      let program = folder + "/history-lab"
      try makeFile(program, "same")
      let hash = try #require(CampaignProgram.hash(ofFile: program))
      let known = TaskExecutable(program, build: "\(hash), release")
      let commit = TaskExecutable(program, build: "abc, release")
      try known.requireUnchanged()
      try commit.requireUnchanged()
      try FileManager.default.moveItem(atPath: program, toPath: program + "-former")
      try makeFile(program, "same")
      try known.requireUnchanged()
      #expect(throws: CampaignError.self) { try commit.requireUnchanged() }
      try makeFile(program, "other")
      #expect(throws: CampaignError.self) { try known.requireUnchanged() }
    }
  }
}
