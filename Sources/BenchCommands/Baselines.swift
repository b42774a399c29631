import Basics
import Commands
import Foundation
import Measuring
import Reporting

/// Finds the results of a benchmark run.
enum BenchSource {
  /// Reads the results in a run's folder; `nil` selects the newest benchmark run in `runs`.
  ///
  /// - Throws: a usage error when no such run exists, it cannot be read, or it has no rows.
  static func results(_ folder: String?, runs: String) throws(LabError) -> BenchmarkResults {
    if let folder {
      let results = try read(folder + "/results.json")
      if results.rows.isEmpty { throw nothingMeasured(folder) }
      return results
    }
    guard FilePath.state(of: runs) == .folder else { throw noRun(runs) }
    let folders = try RunFolders.runs(in: runs).sorted {
      RunFolders.name(of: $0) > RunFolders.name(of: $1)
    }
    for folder in folders where RunDocument.refusal(of: folder) == nil {
      let file = folder + "/results.json"
      guard FilePath.state(of: file) == .file else { continue }
      let results = try read(file)
      // The user meant the newest run; an older one must not silently replace it.
      if results.rows.isEmpty { throw nothingMeasured(folder) }
      return results
    }
    throw noRun(runs)
  }

  static func read(_ path: String) throws(LabError) -> BenchmarkResults {
    do throws(ResultsFileError) { return try ResultsFile.read(path: path) } catch {
      throw .usage("\(error.description).")
    }
  }

  private static func nothingMeasured(_ folder: String) -> LabError {
    .usage(
      "nothing was measured in the run \(folder.quoted); choose another run with --run.",
      try: "bench run --resume \(folder.shellQuoted)"
    )
  }

  private static func noRun(_ runs: String) -> LabError {
    .usage("\(runs.quoted) holds no run of the benchmarks.", try: "bench run")
  }
}

/// Benchmark results saved under names, with which later results are compared.
struct Baselines {
  /// The folder that contains the baseline files.
  let folder: String

  /// Locates the folder `baselines` that belongs to a folder of runs.
  ///
  /// If the folder of runs is named `runs`, the two folders have the same parent. Otherwise,
  /// `baselines` is inside the folder of runs.
  init(nextTo runs: String) {
    let whole = (runs as NSString).standardizingPath
    let isNamedRuns = (whole as NSString).lastPathComponent == "runs"
    let parent = FolderAccess.parent(of: whole)
    folder = (isNamedRuns ? (parent.isEmpty ? "." : parent) : whole) + "/baselines"
  }

  /// Returns the names of the baselines, sorted.
  ///
  /// - Throws: a lab error when the folder exists and cannot be listed.
  func names() throws(LabError) -> [String] {
    guard FilePath.state(of: folder) != .absent else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }.sorted()
    } catch {
      throw .lab(
        "\(folder.quoted) cannot be listed: \(error.localizedDescription). Check its permissions."
      )
    }
  }

  func path(of name: String) -> String { "\(folder)/\(name).json" }

  /// Reads a baseline.
  ///
  /// - Throws: a usage error that suggests the nearest name, or says why the file cannot be read; a
  ///   lab error when the folder cannot be listed.
  func read(_ name: String) throws(LabError) -> BenchmarkResults {
    let names = try names()
    guard names.contains(name) else {
      let hint = NearestWord.hint(for: name, among: names)
      throw .usage("there is no baseline \(name.quoted).\(hint)", try: "bench baseline list")
    }
    return try BenchSource.read(path(of: name))
  }

  /// Saves results under a name and replaces an existing baseline of that name.
  ///
  /// - Throws: a lab error when the file cannot be written.
  func save(_ results: BenchmarkResults, as name: String) throws(LabError) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let text = try ResultsFile.json(results)
      try text.write(toFile: path(of: name), atomically: true, encoding: .utf8)
    } catch {
      throw .unwritable(path(of: name), error)
    }
  }
}

/// The JSON file, kept in git, with the maximum benchmark counts of this library on one platform.
struct ThresholdFile {
  /// The default folder, with a subfolder for each platform.
  static let folder = "Benchmarks/Thresholds"

  let path: String

  /// Locates the file `name`.json for the platform on which a run was measured.
  init(for environment: RunEnvironment, in folder: String, named name: String = "counts") {
    path = "\(folder)/\(environment.platform)/\(name).json"
  }

  /// Reads the thresholds, or returns `nil` if the platform has none.
  ///
  /// - Throws: a usage error when the file does not contain thresholds.
  func read() throws(LabError) -> CountThresholds? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    do { return try JSONDecoder().decode(CountThresholds.self, from: data) } catch {
      throw .usage(
        "\(path.quoted) holds no thresholds: \(DocumentFault.reason(of: error)). Restore the file."
      )
    }
  }

  /// Writes thresholds with sorted keys, so that differences between versions are easy to read.
  ///
  /// - Throws: a lab error when the file cannot be written.
  func write(_ thresholds: CountThresholds) throws(LabError) {
    do {
      let folder = FolderAccess.parent(of: path)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let text = try JSONText.of(thresholds) + "\n"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw .unwritable(path, error)
    }
  }
}
