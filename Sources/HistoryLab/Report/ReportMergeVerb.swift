import Basics
import Foundation
import HistoryBenchmarks
import HistoryTypes
import Measuring
import Reporting
import Traces

/// The options of `report merge`.
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
      Example("report merge parts", "Every part below the folder parts."),
      Example("report merge one two --output whole", "Two parts, into a folder of your own."),
    ]
  ) { ReportMergeVerb(options: $0, composition: $1, terminal: $2) }
}

/// Joins the parts of a run that several machines did.
struct ReportMergeVerb: Verb {
  let options: ReportMergeOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let parts = try RunParts(options.folders)
    let folder = try RunOutput(
      parts.verb,
      seed: parts.seed,
      output: options.output
    )
    let (verdict, because) = try join(parts, folder)
    try folder.finish(
      verdict: parts.missing.isEmpty ? verdict : "unknown",
      because: parts.missing.isEmpty ? because : parts.sentence
    )
    terminal.print(because)
    folder.printPlace(on: terminal)
    guard parts.missing.isEmpty else {
      terminal.log("history-lab: \(parts.sentence)")
      return .undecided
    }
    return switch verdict {
    case "valid": .good
    case "unknown": .undecided
    default: .violation
    }
  }

  private func join(
    _ parts: RunParts,
    _ folder: RunOutput
  ) throws(LabError) -> (verdict: String, because: String) {
    switch parts.verb {
    case "check": return try joinChecks(parts, folder)
    case "mutants":
      let document = MutantDocument(
        joining: try parts.documents("mutants.json"),
        missing: !parts.missing.isEmpty
      )
      try folder.write("mutants.json", try Self.json(document))
      try folder.writePage()
      return (document.verdict, document.because)
    default: return try joinBenchmarks(parts, folder)
    }
  }

  private func joinChecks(
    _ parts: RunParts,
    _ folder: RunOutput
  ) throws(LabError) -> (verdict: String, because: String) {
    var documents: [CheckDocument] = try parts.documents("check.json")
    for (index, part) in parts.folders.enumerated() { documents[index].find(in: part) }
    var names: [String] = []
    for system in documents.flatMap(\.systems) where !names.contains(system.system) {
      names.append(system.system)
    }
    let systems = names.map { name in
      documents.flatMap(\.systems).filter { $0.system == name }
    }
    let report = CheckReport(
      seed: documents.first.flatMap { UInt64($0.seed.dropFirst(2), radix: 16) } ?? 0,
      plans: systems.first?.map(\.plans).reduce(0, +) ?? 0,
      like: documents.first?.like ?? "",
      systems: zip(names, systems).map { name, parts in
        SystemReport(
          system: name,
          tally: CheckTally(joining: parts),
          seconds: parts.map(\.seconds).reduce(0, +),
          findings: []
        )
      },
      folder: folder.shownPath
    )
    var document = CheckDocument(report, for: .folder)
    for (place, parts) in systems.enumerated() {
      for found in Self.first(parts.flatMap(\.counterexamples)) {
        document.systems[place].counterexamples.append(try Self.keep(found, in: folder))
      }
    }
    try folder.write("check.json", try Self.json(document))
    try folder.writePage()
    return (report.verdict, report.because)
  }

  /// Returns, for each invariant, the counterexample from the plan with the lowest number.
  ///
  /// An unsplit run finds the same one.
  private static func first(_ found: [CheckDocument.Found]) -> [CheckDocument.Found] {
    let least = Dictionary(grouping: found, by: \.checker).compactMapValues { found in
      found.min { $0.foundInPlan < $1.foundInPlan }
    }
    return found.map(\.checker).uniqued.compactMap { least[$0] }
  }

  /// Copies a part's counterexample into the folder of the joined run.
  private static func keep(
    _ found: CheckDocument.Found,
    in folder: RunOutput
  ) throws(LabError) -> CheckDocument.Found {
    let name = (found.file as NSString).lastPathComponent
    try FilePath.checkReadable(found.file)
    let counterexample: Counterexample
    do {
      let text = try String(contentsOfFile: found.file, encoding: .utf8)
      counterexample = try CounterexampleCodec.decode(text)
    } catch let error as FormatError {
      throw .usage("\(found.file): \(error.description)")
    } catch {
      throw .usage("\(found.file.quoted) cannot be read: \(error.localizedDescription)")
    }
    let stem = (name as NSString).deletingPathExtension.dropFirst("counterexample-".count)
    let kept = try folder.keepWhole(counterexample, as: String(stem))
    var found = found
    (found.file, found.replay) = (kept.file, kept.replay(for: .folder))
    return found
  }

  private func joinBenchmarks(
    _ parts: RunParts,
    _ folder: RunOutput
  ) throws(LabError) -> (verdict: String, because: String) {
    let results = try parts.results()
    guard let first = results.first else { return ("unknown", "there are no results.") }
    let joined = BenchmarkResults(
      environment: first.environment,
      rows: Self.inTurns(results.map(\.rows))
    )
    try BenchOutput(joined, folder: folder, composition: composition, terminal: terminal).write()
    let isWhole = parts.records.allSatisfy { $0.verdict == "valid" }
    let sentence = "\(joined.titles.count.counted("benchmark")) of \(results.count.counted("part"))"
    return (isWhole ? "valid" : "unknown", sentence)
  }

  /// Returns the rows of all parts, one benchmark of each part in turn.
  ///
  /// If several parts measure the same benchmark, the first one is kept.
  private static func inTurns(_ parts: [[BenchmarkRow]]) -> [BenchmarkRow] {
    let groups = parts.map { rows in
      var titles: [String] = []
      for row in rows where !titles.contains(row.title) { titles.append(row.title) }
      return titles.map { title in rows.filter { $0.title == title } }
    }
    var seen: Set<String> = []
    return (0..<(groups.map(\.count).max() ?? 0)).flatMap { place in
      groups.compactMap { $0.indices.contains(place) ? $0[place] : nil }
        .filter { $0.first.map { seen.insert($0.title).inserted } ?? false }.flatMap { $0 }
    }
  }

  private static func json(_ document: some Encodable) throws(LabError) -> String {
    try JSONText.document(document, named: "the joined run") + "\n"
  }
}

extension CheckDocument {
  /// Changes the document's file paths to a folder, wherever the part was when it was written.
  fileprivate mutating func find(in folder: String) {
    for system in systems.indices {
      for index in systems[system].counterexamples.indices {
        let file = systems[system].counterexamples[index].file as NSString
        systems[system].counterexamples[index].file = folder + "/" + file.lastPathComponent
      }
    }
  }
}
