import Campaigns
import Foundation
import HistoryTypes
import LabFixtures
import Simulation
import Systems
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

@Suite struct `Samples of states` {
  private func lab(_ line: String) async -> (code: ExitCode, output: String, errors: String) {
    await run(line.split(separator: " ").map(String.init), composition: .current)
  }

  private func sample(_ folder: String) throws -> StateSample {
    let file = URL(fileURLWithPath: folder + "/latest/states.json")
    return try JSONDecoder().decode(StateSample.self, from: Data(contentsOf: file))
  }

  @Test func `Shards and jobs of a check do not change the sample`() async throws {
    try await withFolder { folder in
      let check = "check --plans 24 --seed 7 --sample-states --output \(folder)"
      _ = await lab(check + "/one --jobs 1")
      _ = await lab(check + "/two --jobs 2")
      let whole = try sample(folder + "/one")
      #expect(try sample(folder + "/two") == whole)
      var joined = StateSample()
      for part in 1...3 {
        _ = await lab(check + "/parts --shard \(part)/3")
      }
      let runs = try FileManager.default.contentsOfDirectory(atPath: folder + "/parts")
      for run in runs where run != "latest" {
        // A part of few plans may have none whose states are read.
        let file = "\(folder)/parts/\(run)/states.json"
        guard let data = FileManager.default.contents(atPath: file) else { continue }
        joined.add(try JSONDecoder().decode(StateSample.self, from: data))
      }
      let merged = await lab("report merge \(folder)/parts --output \(folder)/merged")
      #expect(try sample(folder + "/merged") == whole, "\(merged.errors)")
      #expect(joined == whole && (2..<12).contains(whole.planCount) && whole.visitCount > 20)
    }
  }

  @Test(arguments: ["tracker", "article"])
  func `Reading states does not change what a check finds`(_ system: String) async throws {
    try await withFolder { folder in
      let check =
        "check --system \(system) --plans 12 --seed 3 --conditions all --twice --output \(folder)"
      let plain = await lab(check + "/plain")
      let sampled = await lab(check + "/sampled --sample-states")
      #expect(plain.code == sampled.code && plain.code != .lab, "\(sampled.errors)")
      let documents: [CheckDocument?] = try ["plain", "sampled"].map {
        try RunDocument.read("\(folder)/\($0)/latest/check.json")
      }
      let (one, other) = (try #require(documents[0]), try #require(documents[1]))
      #expect(one.verdict == other.verdict && one.because == other.because)
      #expect(one.systems.map(\.steps) == other.systems.map(\.steps))
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/plain/latest")
      #expect(!files.contains("states.json"))
    }
  }

  @Test(arguments: 1...12)
  func `Reading states does not change which call a fault meets`(_ k: Int) throws {
    let tracker = try #require(LabSystem.named("tracker"))
    let worker = PlanWorker(tracker, at: .heap(), versions: [:])
    defer { worker.close() }
    worker.readsStates = true
    let plan = try PlanCodec.decode(
      """
      {"plan":1,"seed":"0x1","foreignWrites":"captured","synchronous":"full","checkpointPages":16,\
      "protectedAuthors":["NSCloudKitMirroringDelegate.*"],"actors":[{"author":"app","id":"app","model":1},\
      {"author":"widget","hooks":["observer"],"id":"widget"},\
      {"allAuthors":["app","widget","share"],"author":"share","id":"share"},\
      {"author":"sync","contexts":2,"id":"sync","ignores":["share"],"launched":false,"strategy":"none"}],\
      "model":[{"attributes":[{"name":"title","preserved":true,"type":"string"},{"name":"count","type":"int"},\
      {"default":7,"name":"rank","preserved":true,"type":"int"}],"entity":"Item"},\
      {"attributes":[{"default":"new","name":"text","type":"string"}],"entity":"Label"}]}
      {"actor":"widget","do":"pass"}
      {"actor":"app","do":"record"}
      {"actor":"share","do":"retire"}
      {"actor":"app","do":"suspend"}
      {"actor":"app","do":"crash"}
      {"actor":"widget","author":null,"changes":[{"object":"Item/12","op":"insert",\
      "values":{"count":7,"title":"i"}}],"context":"sql","do":"write",\
      "faults":[{"call":"lock","file":"shm","k":\(k),"kind":"ioError"}]}

      """
    )
    let outcome = try worker.outcome(of: plan, number: 1, repeating: true)
    #expect(outcome.difference == nil)
    #expect((outcome.states?.count ?? 0) > 1)
  }

  @Test func `States are the same for plans that differ in times and keys`() async throws {
    try await withFolder { folder in
      // Plans of one command by one actor: there are few different states.
      let check = "check --plans 240 --seed 5 --commands 1 --actors 1 --sample-states --output"
      _ = await lab("\(check) \(folder)")
      let sample = try sample(folder)
      let states = StateEstimate(sample)
      #expect(
        (15..<60).contains(sample.planCount) && states.distinct < Double(sample.visitCount) * 0.9
      )
    }
  }

  @Test func `An external system has no sample`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let words = [
        "check", "--system", "external:'\(command)' serve", "--plans", "2", "--seed", "1",
        "--sample-states", "--output", folder,
      ]
      let result = await run(words, composition: .current)
      #expect(result.code != .lab && result.code != .usage, "\(result.errors)")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/latest")
      #expect(files.contains("check.json") && !files.contains("states.json"))
    }
  }

  @Test func `An exploration's sample has as many states as the exploration`() async throws {
    try await withFolder { folder in
      let explore = "explore --conditions ties --actors 2 --sample-states --output \(folder)"
      let merged = await lab(explore + "/merged --depth 3")
      #expect(merged.code != .lab && merged.code != .usage, "\(merged.errors)")
      let cards: CardsDocument = try #require(
        try RunDocument.read(folder + "/merged/latest/cards.json")
      )
      let count = cards.systems.flatMap(\.conditions).flatMap(\.explored).map(\.states).reduce(0, +)
      let sample = try sample(folder + "/merged")
      #expect(sample.reachedCount == count && count > 20)
      #expect(count > StateSample.countMax || StateEstimate(sample).distinct == Double(count))
      _ = await lab(explore + "/separate --depth 1 --no-merging")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/separate/latest")
      #expect(files.contains("cards.json") && !files.contains("states.json"))
    }
  }
}
