import Measuring
import Reporting

/// The parts of one run that was split over several machines, in order.
struct RunParts {
  let folders: [String]
  let records: [RunRecord]
  /// The number of parts that the run was split into.
  let count: Int

  /// Finds the parts in folders of runs, or in folders that contain them.
  ///
  /// - Throws: A usage error if a folder contains a whole run, an unfinished part, a part of a
  ///   different run or a duplicate part, or if there is no part at all.
  init(_ folders: [String]) throws(LabError) {
    var found: [(folder: String, record: RunRecord, shard: Shard)] = []
    for folder in folders {
      for run in try RunFolders.runs(in: folder) {
        let record = try FinishedRun.record(run)
        guard let shard = record.shard else {
          throw .usage("\(run.quoted) is a whole run, no part of one. Leave it out.")
        }
        guard record.verdict != nil else {
          throw .usage(
            "the part in \(run.quoted) has not come to its end. Let it end, or run it again."
          )
        }
        found.append((run, record, shard))
      }
    }
    guard let first = found.first else { throw .usage("there is no part of a run in the folders.") }
    for part in found {
      let isAlike =
        part.record.verb == first.record.verb && part.shard.count == first.shard.count
        && part.record.environment.seed == first.record.environment.seed
      guard isAlike else {
        throw .usage(
          "\(part.folder.quoted) and \(first.folder.quoted) are parts of different runs: verb, seed or "
            + "number of parts differ."
        )
      }
    }
    found.sort { ($0.shard.index, $0.folder) < ($1.shard.index, $1.folder) }
    for (one, other) in zip(found, found.dropFirst()) where one.shard == other.shard {
      throw .usage(
        "part \(one.shard) comes twice: \(one.folder.quoted) and \(other.folder.quoted). Give one."
      )
    }
    self.folders = found.map(\.folder)
    records = found.map(\.record)
    count = first.shard.count
  }

  /// The verb of the run: `check`, `mutants` or `bench`.
  var verb: String { records[0].verb }

  var seed: UInt64 { records[0].environment.seed }

  /// The numbers of the missing parts, counted from 1.
  var missing: [Int] {
    let found = records.compactMap(\.shard?.index)
    return (1...count).filter { !found.contains($0) }
  }

  /// A sentence that names the missing parts.
  var sentence: String {
    let names = missing.map { "\($0)/\(count)" }.joinedWithAnd
    return missing.count == 1 ? "part \(names) is missing." : "parts \(names) are missing."
  }

  /// Returns a document of each part.
  ///
  /// - Throws: A usage error if a part lacks the file or the file cannot be read.
  func documents<Document: RunFile>(_ file: String) throws(LabError) -> [Document] {
    var documents: [Document] = []
    for folder in folders {
      guard let document: Document = try RunDocument.read(folder + "/" + file) else {
        throw .usage("the part in \(folder.quoted) has no \(file).")
      }
      documents.append(document)
    }
    return documents
  }

  /// Returns the benchmark results of each part.
  ///
  /// - Throws: A usage error if they cannot be read.
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
