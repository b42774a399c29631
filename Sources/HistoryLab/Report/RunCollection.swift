import Basics
import Commands
import Foundation
import Measuring
import Reporting
import Traces

/// The newest results in a folder of runs.
///
/// For each system, they contain the newest check and the newest exploration (a safety card: which
/// invariants hold under each condition). They also contain the newest stress run, mutant run and
/// benchmark run.
struct RunCollection {
  /// One system's part of a check, with the folder of its run.
  struct Check {
    let folder: String
    let like: String
    let seed: String
    var system: CheckDocument.System
  }
  /// One system's safety card: the invariants that hold or break under each condition.
  ///
  /// `folder` is the folder of the run that explored the system. Each of `scopes` contains the
  /// number of actors and the maximum number of commands of the explored plans.
  struct Card {
    let folder: String
    let scopes: [ExploreScope]
    var card: CardsDocument.Card
  }
  /// The results of a benchmark run, and the run's folder.
  struct Bench {
    let folder: String
    let results: BenchmarkResults
  }
  private(set) var checks: [Check] = []
  /// For each explored system, the newest table of the invariants that hold under each condition.
  private(set) var cards: [Card] = []
  private(set) var bench: Bench?
  /// The newest stress run.
  private(set) var stress: StressDocument?
  /// The newest mutant run.
  private(set) var mutants: MutantDocument?
  /// The files that were left out, each with the reason: unreadable, or without results.
  private(set) var leftOut: [String] = []
  /// The folder of the newest run that was read.
  private(set) var newest: String?

  /// Reads the runs below a folder at any depth, newest first.
  init(_ folder: String) throws(LabError) {
    let runs = try RunFolders.runs(in: folder)
    for run in runs.sorted(by: { RunFolders.name(of: $0) > RunFolders.name(of: $1) }) { read(run) }
    cards.sort { Self.rank($0.card.system) < Self.rank($1.card.system) }
    checks.sort { Self.rank($0.system.system) < Self.rank($1.system.system) }
  }

  /// Reads the runs below a folder; returns them, and the folder of the newest one.
  ///
  /// - Throws: A usage error if no run is finished.
  static func read(
    _ folder: String,
    _ terminal: Terminal
  ) throws(LabError) -> (runs: RunCollection, newest: String) {
    let runs = try RunCollection(folder)
    // These messages come first: if no run can be read, they give the reasons.
    for reason in runs.leftOut { terminal.log("history-lab: left out: \(reason)") }
    guard let newest = runs.newest else {
      throw .usage(
        "\(folder.quoted) holds no finished check, exploration or benchmark.",
        try: "check"
      )
    }
    return (runs, newest)
  }

  /// Returns the sort key of a system: the tracker comes first, and mutants come last.
  private static func rank(_ system: String) -> (Int, String) {
    if system == "tracker" { return (0, system) }
    return (system.hasPrefix("mutant/") ? 2 : 1, system)
  }

  private mutating func read(_ run: String) {
    if let refusal = RunDocument.refusal(of: run) {
      leftOut.append(refusal)
      return
    }
    if let check: CheckDocument = document("check.json", run) { add(check, run) }
    if let cards: CardsDocument = document("cards.json", run) { add(cards, run) }
    stress = stress ?? document("stress.json", run)
    mutants = mutants ?? document("mutants.json", run)
    guard bench == nil, FileManager.default.fileExists(atPath: run + "/results.json") else {
      return
    }
    do throws(ResultsFileError) {
      let results = try ResultsFile.read(path: run + "/results.json")
      guard !results.rows.isEmpty else {
        leftOut.append("\(run)/results.json has no rows: nothing was measured")
        return
      }
      bench = Bench(folder: run, results: results)
      newest = newest ?? run
    } catch {
      leftOut.append(error.description)
    }
  }

  private mutating func document<Document: RunFile>(_ file: String, _ run: String) -> Document? {
    do throws(LabError) {
      guard let found: Document = try RunDocument.read(run + "/" + file) else { return nil }
      newest = newest ?? run
      return found
    } catch {
      leftOut.append(error.sentence)
      return nil
    }
  }

  private mutating func add(_ document: CardsDocument, _ run: String) {
    for card in document.systems where !cards.contains(where: { $0.card.system == card.system }) {
      cards.append(Card(folder: run, scopes: document.scopes, card: card))
    }
  }

  private mutating func add(_ document: CheckDocument, _ run: String) {
    for system in document.systems
    where !checks.contains(where: { $0.system.system == system.system }) {
      checks.append(Check(folder: run, like: document.like, seed: document.seed, system: system))
    }
  }
}

extension RunCollection {
  /// Returns the same runs, with paths and commands that work for a page in `pageFolder`.
  ///
  /// Paths of counterexamples lead to the folders in which the runs are now. Replay commands are to
  /// be run in the page's folder.
  func located(from pageFolder: String) -> RunCollection {
    var runs = self
    runs.checks = checks.map { $0.located(from: pageFolder) }
    runs.cards = cards.map { $0.located(from: pageFolder) }
    return runs
  }

  /// Returns the current path of a run's file, and its replay command for the page's folder.
  ///
  /// `file` is a file name, or the path that the file had when the run was written. `replay` is a
  /// command that contains `file`.
  fileprivate static func located(
    _ file: String,
    _ replay: String,
    in run: String,
    from pageFolder: String
  ) -> (file: String, replay: String) {
    let path = run + "/" + (file as NSString).lastPathComponent
    guard FilePath.state(of: path) == .file else { return (file, replay) }
    let way = RelativePath.path(from: pageFolder, to: path).shellQuoted
    let place = replay.range(of: file.shellQuoted)
    return (path, place.map { replay.replacingCharacters(in: $0, with: way) } ?? replay)
  }
}

extension RunCollection.Check {
  fileprivate func located(from pageFolder: String) -> RunCollection.Check {
    var check = self
    for (index, found) in system.counterexamples.enumerated() {
      let place = RunCollection.located(found.file, found.replay, in: folder, from: pageFolder)
      check.system.counterexamples[index].file = place.file
      check.system.counterexamples[index].replay = place.replay
    }
    return check
  }
}

extension RunCollection.Card {
  /// Returns the same results, with paths and commands that work for a page in `pageFolder`.
  func located(from pageFolder: String) -> RunCollection.Card {
    var one = self
    for (index, cell) in card.cells.enumerated() {
      guard let file = cell.file, let replay = cell.replay else { continue }
      let place = RunCollection.located(file, replay, in: folder, from: pageFolder)
      one.card.cells[index].file = place.file
      one.card.cells[index].replay = place.replay
    }
    return one
  }
}
