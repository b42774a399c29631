import Basics
import BenchCommands
import Campaigns
import Commands
import Foundation
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting
import Traces

struct ReportMergeOptions: VerbOptions {
  @Argument(each: .path("FOLDER"), "The folder of a part, or a folder that holds such folders.")
  var folders: [String]
  @Option(.output) var output: String

  /// - Throws: A usage error if a folder does not exist, or the joined run cannot be written.
  func validate(in composition: Composition) throws(LabError) {
    for folder in folders where FilePath.state(of: folder) != .folder {
      throw .usage("there is no folder \(folder.quoted). Give the folder of a part of a run.")
    }
    try FilePath.checkWritableFolder(output, for: "--output")
  }
}

extension ReportMergeVerb {
  static let spec = VerbSpec(
    name: "report merge",
    sentence: "Joins the parts of a run that was split with --shard.",
    examples: [
      Example("report merge parts", "Joins every part below the folder `parts`."),
      Example("report merge one two --output whole", "Joins two parts into the folder `whole`."),
    ]
  ) { ReportMergeVerb(options: $0, composition: $1, terminal: $2) }
}

/// Joins the parts of a run that was split over several machines.
struct ReportMergeVerb: Verb {
  let options: ReportMergeOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let parts = try RunParts(options.folders)
    for sentence in parts.leftOut { terminal.log("history-lab: left out: \(sentence).") }
    // All parts are read before a folder is created, so an unreadable part leaves no folder behind.
    let joined = try Joined(parts)
    let folder = try RunOutput(merging: parts, output: options.output)
    do throws(LabError) {
      try write(joined, folder)
      try folder.finish(
        verdict: joined.verdict,
        because: joined.because,
        isEndedEarly: !parts.gaps.isEmpty
      )
      try folder.publish()
    } catch {
      folder.discard()
      throw error
    }
    terminal.print(joined.because)
    folder.printPlace(on: terminal)
    if let sentence = parts.missingSentence { terminal.log("history-lab: \(sentence)") }
    return switch joined.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  private func write(_ joined: Joined, _ folder: RunOutput) throws(LabError) {
    switch joined.content {
    case .check(let report, let found, let states):
      try folder.write(states)
      var document = CheckDocument(report, for: .folder)
      for found in found { document.systems[found.place].add(try found.keep(in: folder)) }
      try folder.write("check.json", try Self.json(document))
      try folder.writePage()
    case .mutants(let document):
      try folder.write("mutants.json", try Self.json(document))
      try folder.writePage()
    case .stress(let document):
      try folder.write("stress.json", try document.json() + "\n")
      try folder.writePage()
    case .benchmarks(let results):
      let output = BenchOutput(
        results,
        folder: folder,
        composition: composition,
        terminal: terminal
      )
      try output.write()
    }
  }

  private static func json(_ document: some Encodable) throws(LabError) -> String {
    try JSONText.document(document, named: "the joined run") + "\n"
  }
}

/// The joined parts of a run; all parts are read before anything is written.
private struct Joined {
  enum Content {
    case check(CheckReport, [JoinedCounterexample], [StateSample])
    case mutants(MutantDocument)
    case stress(StressDocument)
    case benchmarks(BenchmarkResults)
  }
  let content: Content
  let verdict: String
  let because: String

  /// Reads and joins the parts.
  ///
  /// - Throws: A usage error if a file of a part is missing or cannot be read.
  init(_ parts: RunParts) throws(LabError) {
    switch parts.verb {
    case "check":
      let (report, found) = try Self.check(parts)
      content = .check(report, found, try parts.states())
      (verdict, because) = (report.verdict, report.because)
    case "mutants":
      let document = MutantDocument(
        joining: try parts.documents("mutants.json"),
        gaps: parts.gaps
      )
      content = .mutants(document)
      (verdict, because) = (document.verdict, document.because)
    case "stress":
      let document = try StressDocument(joining: parts)
      content = .stress(document)
      (verdict, because) = (document.verdict, document.because)
    default:
      let results = try Self.results(parts)
      content = .benchmarks(results)
      (verdict, because) = Self.verdict(results, parts)
    }
  }

  private static func check(
    _ parts: RunParts
  ) throws(LabError) -> (CheckReport, [JoinedCounterexample]) {
    var documents: [CheckDocument] = try parts.documents("check.json")
    for (index, part) in parts.folders.enumerated() { documents[index].find(in: part) }
    let names = documents.flatMap(\.systems).map(\.system).uniqued
    let systems = names.map { name in
      documents.flatMap(\.systems).filter { $0.system == name }
    }
    var report = CheckReport(
      seed: documents.first.flatMap { UInt64($0.seed.dropFirst(2), radix: 16) } ?? 0,
      plans: systems.first?.map(\.plans).reduce(0, +) ?? 0,
      like: documents.first?.like ?? "",
      systems: zip(names, systems).map { name, parts in
        SystemReport(
          system: name,
          tally: CheckTally(joining: parts),
          seconds: parts.map(\.seconds).reduce(0, +),
          counterexamples: [],
          needsPowerOffs: parts.contains { $0.needsPowerOffs == true }
        )
      },
      folder: ""
    )
    report.gaps = parts.gaps
    var found: [JoinedCounterexample] = []
    for (place, parts) in systems.enumerated() {
      for one in first(parts.flatMap(\.counterexamples)) {
        found.append(try JoinedCounterexample(one, ofSystem: place))
      }
    }
    return (report, found)
  }

  /// Returns, for each invariant, the counterexample from the plan with the lowest number.
  ///
  /// A run that was not split finds the same counterexample.
  private static func first(_ found: [CheckDocument.Found]) -> [CheckDocument.Found] {
    let least = Dictionary(grouping: found, by: \.checker).compactMapValues { found in
      found.min { $0.foundInPlan < $1.foundInPlan }
    }
    return found.map(\.checker).uniqued.compactMap { least[$0] }
  }

  private static func results(_ parts: RunParts) throws(LabError) -> BenchmarkResults {
    BenchmarkResults(
      environment: parts.environment,
      rows: inTurns(try parts.results().map(\.rows)),
      parts: parts.all
    )
  }

  /// Returns the verdict of the joined results, with the reasons of the parts that are not valid.
  private static func verdict(
    _ results: BenchmarkResults,
    _ parts: RunParts
  ) -> (verdict: String, because: String) {
    let count = parts.all.count.counted("part")
    let reasons = parts.all.filter { $0.verdict != "valid" }.map { part in
      "part \(part.part): \(part.because ?? "no reason is known")"
    }
    let sentences = ["\(results.titles.count.counted("benchmark")) of \(count)"] + reasons
    let because = (sentences + [parts.missingSentence].compactMap(\.self)).joined(separator: "; ")
    if parts.all.contains(where: { $0.verdict == "invalid" }) { return ("invalid", because) }
    return (reasons.isEmpty && parts.missing.isEmpty ? "valid" : "unknown", because)
  }

  /// Returns the rows of all parts, taking one benchmark of each part in turn.
  ///
  /// If several parts measure the same benchmark, the rows that come first in this order are kept.
  private static func inTurns(_ parts: [[BenchmarkRow]]) -> [BenchmarkRow] {
    let groups = parts.map { rows in
      var titles: [String] = []
      for row in rows where !titles.contains(row.title) { titles.append(row.title) }
      return titles.map { title in rows.filter { $0.title == title } }
    }
    var seen: Set<String> = []
    var merged: [BenchmarkRow] = []
    for place in 0..<(groups.map(\.count).max() ?? 0) {
      for group in groups where place < group.count {
        guard let title = group[place].first?.title, seen.insert(title).inserted else { continue }
        merged += group[place]
      }
    }
    return merged
  }

}

/// A counterexample of a part, read from the counterexample's file.
private struct JoinedCounterexample {
  /// The index of the counterexample's system in ``CheckDocument/systems`` of the joined run.
  let place: Int
  private let found: CheckDocument.Found
  private let counterexample: Counterexample
  private let stem: String

  /// Reads the counterexample's file.
  ///
  /// - Throws: A usage error if the file is missing or cannot be read.
  init(_ found: CheckDocument.Found, ofSystem place: Int) throws(LabError) {
    try FilePath.checkReadable(found.file)
    do {
      let text = try String(contentsOfFile: found.file, encoding: .utf8)
      counterexample = try CounterexampleCodec.decode(text)
    } catch let error as FormatError {
      throw .usage("\(found.file): \(error.description)")
    } catch {
      throw .usage(
        "\(found.file.quoted) cannot be read: \(error.localizedDescription). Copy the part again."
      )
    }
    let name = ((found.file as NSString).lastPathComponent as NSString).deletingPathExtension
    stem = String(name.dropFirst("counterexample-".count))
    (self.found, self.place) = (found, place)
  }

  /// Writes the counterexample into the folder of the joined run.
  func keep(in folder: RunOutput) throws(LabError) -> CheckDocument.Found {
    let kept = try folder.keepWhole(counterexample, as: stem)
    var found = found
    (found.file, found.replay) = (kept.file, kept.replay(for: .folder))
    return found
  }
}

extension CheckDocument.System {
  fileprivate mutating func add(_ found: CheckDocument.Found) { counterexamples.append(found) }
}

extension CheckDocument {
  /// Changes the document's file paths, which may be paths of another machine, to paths in `folder`.
  fileprivate mutating func find(in folder: String) {
    for system in systems.indices {
      for index in systems[system].counterexamples.indices {
        let file = systems[system].counterexamples[index].file as NSString
        systems[system].counterexamples[index].file = folder + "/" + file.lastPathComponent
      }
    }
  }
}
