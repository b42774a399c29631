import Basics
import Campaigns
import Commands
import Foundation
import HistoryTypes
import Measuring
import Reporting

/// The parts of one run that was split over several machines, in order.
struct RunParts {
  /// One attempt to run a part; a part may have been run several times.
  private struct Try {
    let folder: String
    let record: RunRecord
    let shard: Shard

    /// Whether this attempt ran its part completely: it has a verdict and was not ended early.
    var isWhole: Bool { record.verdict != nil && !record.isEndedEarly }
  }
  let folders: [String]
  let records: [RunRecord]
  /// The number of parts that the run was split into.
  let count: Int
  /// Sentences about unused attempts to run a part, each with the attempt that is used instead.
  let leftOut: [String]

  /// Finds the parts in the given run folders, or in folders that contain run folders.
  ///
  /// If there are several attempts at a part, the complete attempt is used. If no attempt is
  /// complete, the newest attempt with a verdict is used.
  ///
  /// - Throws: A usage error if a folder contains an unsplit run or a part of a different run, if a
  ///   part has two complete attempts or none with a verdict, or if there is no part at all.
  init(_ folders: [String]) throws(LabError) {
    var found: [Try] = []
    for folder in folders {
      for run in try RunFolders.runs(in: folder) {
        let record = try FinishedRun.record(run)
        guard let shard = record.shard else {
          throw .usage("\(run.quoted) is a whole run, not a part of a split run. Leave it out.")
        }
        found.append(Try(folder: run, record: record, shard: shard))
      }
    }
    guard let first = found.first else {
      throw .usage(
        "the folders contain no parts. Give the folders of runs that were started with --shard."
      )
    }
    for part in found {
      let differences = PartDifference.sentences(first.record, part.record)
      guard differences.isEmpty else {
        throw .usage(
          "\(first.folder.quoted) and \(part.folder.quoted) are parts of different runs: "
            + differences.joined(separator: "; ") + ". Merge the parts of one run."
        )
      }
    }
    let tries = Dictionary(grouping: found, by: \.shard.index)
    var chosen: [Try] = []
    var leftOut: [String] = []
    for index in tries.keys.sorted() {
      let all = tries[index, default: []].sorted { $0.folder < $1.folder }
      let one = try Self.counted(all)
      chosen.append(one)
      leftOut += all.filter { $0.folder != one.folder }.map { other in
        let ending = other.record.verdict == nil ? "has no verdict" : "was ended early"
        return "\(other.folder.quoted), an attempt at part \(other.shard) that \(ending): "
          + "\(one.folder.quoted) is used instead"
      }
    }
    self.folders = chosen.map(\.folder)
    self.leftOut = leftOut
    records = chosen.map(\.record)
    count = first.shard.count
  }

  /// Returns the one attempt that is used, of all attempts to run the same part.
  private static func counted(_ tries: [Try]) throws(LabError) -> Try {
    let whole = tries.filter(\.isWhole)
    if whole.count > 1 {
      throw .usage(
        "part \(whole[0].shard) is given twice: \(whole[0].folder.quoted) and "
          + "\(whole[1].folder.quoted). Give one of them."
      )
    }
    let newest = tries.filter { $0.record.verdict != nil }.max {
      $0.record.environment.time.secondsSince1970 < $1.record.environment.time.secondsSince1970
    }
    guard let one = whole.first ?? newest else {
      throw .usage(
        "the part in \(tries[0].folder.quoted) has not finished. Let it finish, or run it again."
      )
    }
    return one
  }

  /// The verb of the run, which is `check`, `mutants`, `stress` or `bench`.
  var verb: String { records[0].verb }

  /// The environment of the whole run, which names the machines and systems of all parts.
  ///
  /// See ``RunEnvironment/init(joining:)`` for its other values.
  var environment: RunEnvironment {
    RunEnvironment(joining: records.map(\.environment)) ?? records[0].environment
  }

  /// The command line of the whole run: the first part's command line without its shard option.
  var commandLine: [String] {
    var words: [String] = []
    var rest = records[0].commandLine[...]
    while let word = rest.popFirst() {
      if word == "--shard" {
        rest = rest.dropFirst()
      } else if !word.hasPrefix("--shard=") {
        words.append(word)
      }
    }
    return words
  }

  /// The records of the parts, to be stored with the merged run.
  var all: [RunPart] {
    zip(folders, records).map { folder, record in
      RunPart(
        part: record.shard?.description ?? "",
        folder: RunFolders.name(of: folder),
        commandLine: record.commandLine,
        environment: record.environment,
        verdict: record.verdict,
        because: record.because
      )
    }
  }

  /// The numbers of the missing parts, from 1.
  var missing: [Int] {
    let found = records.compactMap(\.shard?.index)
    return (1...count).filter { !found.contains($0) }
  }

  /// A sentence that names the missing parts; `nil` if no part is missing.
  var missingSentence: String? {
    guard !missing.isEmpty else { return nil }
    let names = missing.map { "\($0)/\(count)" }.joinedWithAnd
    return missing.count == 1 ? "part \(names) is missing." : "parts \(names) are missing."
  }

  /// Sentences that name the missing parts and the parts that ended early.
  var gaps: [String] {
    let early = records.filter(\.isEndedEarly).compactMap(\.shard?.description)
    let names = early.joinedWithAnd
    let sentences =
      early.isEmpty
      ? []
      : [early.count == 1 ? "part \(names) was ended early." : "parts \(names) were ended early."]
    return sentences + [missingSentence].compactMap(\.self)
  }

  /// Returns the contents of the file `file` of each part.
  ///
  /// - Throws: A usage error if a part lacks the file or the file cannot be read.
  func documents<Document: RunFile>(_ file: String) throws(LabError) -> [Document] {
    var documents: [Document] = []
    for folder in folders {
      guard let document: Document = try RunDocument.read(folder + "/" + file) else {
        throw .usage(
          "the part in \(folder.quoted) has no \(file). Copy the whole folder, or run the part again."
        )
      }
      documents.append(document)
    }
    return documents
  }

  /// Returns the state sample of each part that has one; a part with few plans may have none.
  ///
  /// - Throws: A usage error if a sample cannot be read.
  func states() throws(LabError) -> [StateSample] {
    var samples: [StateSample] = []
    for folder in folders {
      if let sample: StateSample = try RunDocument.read("\(folder)/\(StateSample.file)") {
        samples.append(sample)
      }
    }
    return samples
  }

  /// Returns the benchmark results of each part.
  ///
  /// - Throws: A usage error if a results file cannot be read.
  func results() throws(LabError) -> [BenchmarkResults] {
    var results: [BenchmarkResults] = []
    for folder in folders {
      do throws(ResultsFileError) {
        results.append(try ResultsFile.read(path: folder + "/results.json"))
      } catch { throw .usage(error.description) }
    }
    return results
  }
}

/// The differences that show that two run records are not parts of the same run.
enum PartDifference {
  /// The options that may differ between the command lines of parts.
  ///
  /// The seeds must be equal, but are compared as numbers, because one number can be written in
  /// several ways.
  private static let free: Set<String> = ["output", "jobs", "json", "shard", "seed"]

  /// Returns clauses that name the differences; empty if the records are parts of the same run.
  static func sentences(_ former: RunRecord, _ latter: RunRecord) -> [String] {
    var found: [String] = []
    func compare(_ name: String, _ value: (RunRecord) -> String) {
      let (one, other) = (value(former), value(latter))
      if one != other { found.append("\(name) is \(other) in the latter and \(one) in the former") }
    }
    compare("the verb") { $0.verb }
    compare("the number of parts") { String($0.shard?.count ?? 0) }
    compare("the seed") { "0x" + String($0.environment.seed, radix: 16) }
    found += lines(PartLine(former), PartLine(latter))
    compare("the commit") { $0.environment.commit?.quoted ?? "unknown" }
    compare("the version of the lab") { $0.lab?.quoted ?? "unknown" }
    compare("the version of Swift") { $0.environment.swift.quoted }
    compare("the version of SQLite") { $0.environment.sqlite.quoted }
    compare("the build") { $0.environment.optimized ? "release".quoted : "debug".quoted }
    return found
  }

  /// The command line of a part, split into options.
  private struct PartLine {
    let command: String
    /// The values of the options that must be equal in all parts; a flag has one empty value.
    let options: [String: [String]]

    init(_ record: RunRecord) {
      let words = Array(record.commandLine.dropFirst())
      guard case .run(let spec, let arguments)? = try? Invocation.read(words, tool: .historyLab)
      else {
        // The words are not a command line of this program, so they are compared unchanged.
        command = words.joined(separator: " ").quoted
        options = [:]
        return
      }
      command = spec.name
      var options = arguments.texts.filter { !PartDifference.free.contains($0.key) }
      // The folder of `--on-disk` may differ, because each machine has its own.
      if options["on-disk"] != nil { options["on-disk"] = [""] }
      self.options = options
    }
  }

  private static func lines(_ former: PartLine, _ latter: PartLine) -> [String] {
    guard former.command == latter.command else {
      return ["the command is \(latter.command) in the latter and \(former.command) in the former"]
    }
    let names = Set(former.options.keys).union(latter.options.keys).sorted()
    return names.compactMap { name in
      let (one, other) = (former.options[name], latter.options[name])
      guard one != other else { return nil }
      if (one ?? other) == [""] {
        return other == nil
          ? "--\(name) is given in the former and not in the latter"
          : "--\(name) is given in the latter and not in the former"
      }
      let values = [other, one].map { $0?.joined(separator: ", ") ?? "not given" }
      return "--\(name) is \(values[0]) in the latter and \(values[1]) in the former"
    }
  }
}
