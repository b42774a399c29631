import Foundation
import TestSupport
import Testing

@testable import Campaigns

@Suite(.blocksItsThread) struct `Rounds of a campaign` {
  private let home: TemporaryFolder
  private var path: String { home.url.appending(path: "campaign").path }

  init() throws { home = try TemporaryFolder() }

  /// A group of an exploration to length 2 with three slices, and one task of another group.
  private func made() throws -> CampaignFolder {
    let campaign = try CampaignFolder(creating: path, by: .sample)
    let rounds = [["0"], ["1a", "1b", "1c"], ["2a", "2b", "2c"], ["join"]]
    #expect(try campaign.add(rounds: rounds.map { $0.map { [$0] } }) == 1)
    #expect(try campaign.add([["other"]]) == 2)
    return campaign
  }

  private static let early = ["1a", "1b", "1c"]

  @Test(arguments: ["w", "machine-1", "x", "third"])
  func `A round starts when all tasks of the rounds before have a result`(_ name: String) throws {
    let campaign = try made()
    var seen: [String] = []
    let worker = campaign.worker(name, patience: .milliseconds(1)) { words, _, _ in
      seen.append(words[0])
      // Only tasks with rounds get the folder of their group's results.
      #expect(words.dropFirst() == (words[0] == "other" ? [] : ["--slices", path + "/done/1"]))
      return .code(0)
    }
    #expect(try worker.work() == 9)
    let rounds = seen.filter { $0 != "other" }.map { $0.prefix(1) }
    #expect(rounds == ["0", "1", "1", "1", "2", "2", "2", "j"] && Set(seen).count == 9)
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "valid")
    #expect(status.rounds.map(\.group) == [1] && status.rounds.map(\.completeLength) == [2])
  }

  @Test func `A worker waits for the last slice of a round, which another one explores`() throws {
    let campaign = try made()
    var seen: [String] = []
    var polls = 0
    let other = campaign.worker(
      "two",
      patience: .seconds(3_600),
      isInterrupted: {
        polls += 1
        return polls > 20
      },
      run: { words, _, _ in
        seen.append(words[0])
        return .code(0)
      }
    )
    let one = campaign.worker("one", patience: .seconds(3_600)) {
      (words, _, _) throws(CampaignError) in
      guard Self.early.contains(words[0]), !seen.contains("waited") else {
        seen.append(words[0])
        return .code(0)
      }
      // The other does what it may while this slice has no result, and then waits.
      polls = 0
      _ = try other.work()
      #expect(polls > 20 && !seen.contains { $0.hasPrefix("2") || $0 == "join" }, "\(seen)")
      let progress = try CampaignStatus(campaign).rounds[0]
      #expect(progress.completeLength == 0 && progress.done == 2 && progress.count == 3)
      seen += ["waited", words[0]]
      return .code(0)
    }
    _ = try one.work()
    #expect(seen.count == 10 && Set(seen).count == 10)
    #expect(try CampaignStatus(campaign).left == 0)
  }

  @Test func `A slice whose worker is lost is explored by another, and counts once`() throws {
    let campaign = try made()
    var seen: [String] = []
    let lost = campaign.worker(
      "lost",
      patience: .milliseconds(1),
      isInterrupted: { seen.count == 3 },
      run: { words, _, _ in
        seen.append(words[0])
        return seen.count == 3 ? .unwanted : .code(0)
      }
    )
    #expect(try lost.work() == 2)
    #expect(try CampaignStatus(campaign).rounds.map(\.completeLength) != [2])
    let other = campaign.worker("other", patience: .milliseconds(1)) { words, _, _ in
      seen.append(words[0])
      return .code(0)
    }
    #expect(try other.work() == 7)
    let last = seen[2]
    #expect(seen.count { $0 == last } == 2 && Set(seen).count == 9 && seen.count == 10)
    let status = try CampaignStatus(campaign)
    #expect(status.resultsByWorker == ["lost": 2, "other": 7] && status.verdict == "valid")
  }

  @Test func `A slice that is given up ends the later lengths, but not the join`() throws {
    let campaign = try made()
    var seen: [String] = []
    let worker = campaign.worker("w", patience: .milliseconds(1)) { words, _, _ in
      seen.append(words[0])
      return .code(words[0] == "1b" ? 70 : words[0] == "join" ? 2 : 0)
    }
    _ = try worker.work()
    #expect(seen.count { $0 == "1b" } == 3 && seen.contains("join"))
    #expect(!seen.contains { $0.hasPrefix("2") })
    let status = try CampaignStatus(campaign)
    #expect(status.verdict == "unknown" && status.left == 0)
    #expect(status.rounds.map(\.completeLength) == [0])
    #expect(status.rounds.map(\.done) == [3])
    let reason =
      "1-0003 of length 1 was given up, so lengths are complete up to 0: its command ended with code 70"
    #expect(status.givenUp.map(\.task) == ["1-0003", "1-0005", "1-0006", "1-0007"])
    #expect(status.givenUp.dropFirst().allSatisfy { $0.because == reason }, "\(status.givenUp)")
  }

  @Test func `Without the states of length 0, no length is complete`() throws {
    let campaign = try made()
    let worker = campaign.worker("w", patience: .milliseconds(1)) { words, _, _ in
      .code(words[0] == "0" ? 64 : 0)
    }
    _ = try worker.work()
    let status = try CampaignStatus(campaign)
    #expect(status.rounds.map(\.completeLength) == [nil] && status.givenUp.count == 7)
    let reason =
      "1-0001 of length 0 was given up, so no length is complete: its command ended with code 64"
    #expect(status.givenUp.last?.because == reason)
  }

  @Test func `A length at which a limit was reached is not complete`() throws {
    let campaign = try made()
    let worker = campaign.worker("w", patience: .milliseconds(1)) { words, _, _ in
      .code(words[0] == "2c" ? 2 : 0)
    }
    _ = try worker.work()
    let progress = try CampaignStatus(campaign).rounds[0]
    #expect(progress.completeLength == 1 && progress.done == 3)
  }

  @Test func `A program that does not know rounds refuses the folder by its version`() throws {
    _ = try made()
    let file = URL(fileURLWithPath: path + "/campaign.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    // A program refuses each version above its own, as an older one refuses this version 2.
    #expect(text.contains(#""campaign":2"#))
    try Data(text.replacing(#""campaign":2"#, with: #""campaign":3"#).utf8).write(to: file)
    do throws(CampaignError) {
      _ = try CampaignFolder(opening: path, by: .sample)
      Issue.record("a newer version was opened")
    } catch {
      #expect(
        error.description.contains(
          "has version 3 of the format of campaigns, and this program reads up to version 2."
        )
      )
    }
  }
}
