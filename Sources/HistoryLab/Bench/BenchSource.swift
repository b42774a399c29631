import Foundation
import Measuring
import Reporting

/// Finds the results of a run of the benchmarks.
enum BenchSource {
  /// The results of a run's folder; without one those of the newest run.
  ///
  /// - Throws: a usage error when there is no such run, or it cannot be read.
  static func results(_ folder: String?, runs: String) throws(LabError) -> BenchmarkResults {
    if let folder { return try read(folder + "/results.json") }
    guard FilePath.state(of: runs) == .folder else { throw noRun(runs) }
    guard let bench = try RunCollection(runs).bench else { throw noRun(runs) }
    return bench.results
  }

  /// The results of a file.
  static func read(_ path: String) throws(LabError) -> BenchmarkResults {
    do throws(ResultsFileError) { return try ResultsFile.read(path: path) } catch {
      throw .usage("\(error.description).")
    }
  }

  private static func noRun(_ runs: String) -> LabError {
    .usage("\(runs.quoted) holds no run of the benchmarks. Try: history-lab bench run")
  }
}
