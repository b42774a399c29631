import Foundation
import Measuring
import Reporting

/// Finds the results of a benchmark run.
enum BenchSource {
  /// Returns the results in a run's folder, or without a folder those of the newest run.
  ///
  /// - Throws: a usage error when no such run exists, it cannot be read, or it has no rows.
  static func results(_ folder: String?, runs: String) throws(LabError) -> BenchmarkResults {
    if let folder {
      let results = try read(folder + "/results.json")
      if results.rows.isEmpty { throw nothingMeasured(folder) }
      return results
    }
    guard FilePath.state(of: runs) == .folder else { throw noRun(runs) }
    let found = try RunCollection(runs)
    // The user meant the newest run; an older one must not silently replace it.
    if let folder = found.emptyBench { throw nothingMeasured(folder) }
    guard let bench = found.bench else { throw noRun(runs) }
    return bench.results
  }

  /// Reads the results from a file.
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
