import Foundation
import Measuring
import Reporting

/// Finds the results of a run of the benchmarks.
enum BenchSource {
  /// The results of a run's folder; without one those of the newest run.
  ///
  /// - Throws: a usage error when there is no such run, it cannot be read, or it has no rows.
  static func results(_ folder: String?, runs: String) throws(LabError) -> BenchmarkResults {
    if let folder {
      let results = try read(folder + "/results.json")
      if results.rows.isEmpty { throw nothingMeasured(folder) }
      return results
    }
    guard FilePath.state(of: runs) == .folder else { throw noRun(runs) }
    let found = try RunCollection(runs)
    // An older one in its place would be another than the one that was meant.
    if let folder = found.emptyBench { throw nothingMeasured(folder) }
    guard let bench = found.bench else { throw noRun(runs) }
    return bench.results
  }

  /// The results of a file.
  static func read(_ path: String) throws(LabError) -> BenchmarkResults {
    do throws(ResultsFileError) { return try ResultsFile.read(path: path) } catch {
      throw .usage("\(error.description).")
    }
  }

  private static func nothingMeasured(_ folder: String) -> LabError {
    .usage(
      "nothing was measured in the run \(folder.quoted); name another with --run.",
      try: "bench run --resume \(folder.shellQuoted)"
    )
  }

  private static func noRun(_ runs: String) -> LabError {
    .usage("\(runs.quoted) holds no run of the benchmarks.", try: "bench run")
  }
}
