import Foundation
import Measuring
import Reporting
import Traces

/// What the folders of runs hold: the newest check and card of each system, and the newest benchmark.
struct RunCollection {
  /// One system's part of a check, and the folder of its run.
  struct Check {
    let folder: String
    let like: String
    let seed: String
    let system: CheckDocument.System
  }
  /// A benchmark's results, and the folder of its run.
  struct Bench {
    let folder: String
    let results: BenchmarkResults
  }
  private(set) var checks: [Check] = []
  /// The newest card of each system.
  private(set) var cards: [CardsDocument.Card] = []
  /// What the newest cards were explored for.
  private(set) var scopes: [ExploreScope] = []
  private(set) var bench: Bench?
  /// Runs that could not be read, each with the reason.
  private(set) var unreadable: [String] = []
  /// The newest run's folder.
  private(set) var newest: String?

  /// Reads the runs of a folder, newest first.
  init(_ folder: String) throws(LabError) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw .usage("the runs in \(folder.quoted) cannot be listed: \(error.localizedDescription)")
    }
    for name in names.sorted().reversed() where name != "latest" && !name.hasPrefix(".") {
      read(folder + "/" + name)
    }
    cards.sort { Self.rank($0.system) < Self.rank($1.system) }
    checks.sort { Self.rank($0.system.system) < Self.rank($1.system.system) }
  }

  /// Ours first, then the published protocols, then the mutants.
  private static func rank(_ system: String) -> (Int, String) {
    if system == "tracker" { return (0, system) }
    return (system.hasPrefix("mutant/") ? 2 : 1, system)
  }

  private mutating func read(_ run: String) {
    if let data = FileManager.default.contents(atPath: run + "/check.json") {
      readCheck(data, run)
    }
    if let data = FileManager.default.contents(atPath: run + "/cards.json") {
      readCards(data, run)
    }
    guard bench == nil, FileManager.default.fileExists(atPath: run + "/results.json") else {
      return
    }
    do throws(ResultsFileError) {
      bench = Bench(folder: run, results: try ResultsFile.read(path: run + "/results.json"))
      newest = newest ?? run
    } catch {
      unreadable.append(error.description)
    }
  }

  private mutating func readCards(_ data: Data, _ run: String) {
    do {
      let document = try JSONDecoder().decode(CardsDocument.self, from: data)
      newest = newest ?? run
      if cards.isEmpty { scopes = document.scopes }
      cards += document.systems.filter { card in !cards.contains { $0.system == card.system } }
    } catch {
      unreadable.append("\(run)/cards.json cannot be read: \(error)")
    }
  }

  private mutating func readCheck(_ data: Data, _ run: String) {
    do {
      let document = try JSONDecoder().decode(CheckDocument.self, from: data)
      newest = newest ?? run
      for system in document.systems
      where !checks.contains(where: { $0.system.system == system.system }) {
        checks.append(
          Check(folder: run, like: document.like, seed: document.seed, system: system)
        )
      }
    } catch {
      unreadable.append("\(run)/check.json cannot be read: \(error)")
    }
  }
}
