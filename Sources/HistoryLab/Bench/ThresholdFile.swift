import Foundation
import Measuring
import Reporting

/// The file with the committed maximum counts of this library on one platform.
struct ThresholdFile {
  /// The default folder, with a subfolder for each platform.
  static let folder = "Benchmarks/Thresholds"

  let path: String

  /// Locates the file for the platform of a run's environment.
  init(for environment: RunEnvironment, in folder: String) {
    path = "\(folder)/\(environment.platform)/counts.json"
  }

  /// Reads the thresholds, or returns `nil` if the platform has none.
  ///
  /// - Throws: a usage error when the file does not contain thresholds.
  func read() throws(LabError) -> CountThresholds? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    do { return try JSONDecoder().decode(CountThresholds.self, from: data) } catch {
      throw .usage("\(path.quoted) holds no thresholds: \(DocumentFault.reason(of: error)).")
    }
  }

  /// Writes thresholds with sorted keys, so that differences between versions are easy to read.
  ///
  /// - Throws: a lab error when the file cannot be written.
  func write(_ thresholds: CountThresholds) throws(LabError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    do {
      let folder = (path as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let text = String(decoding: try encoder.encode(thresholds), as: UTF8.self) + "\n"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw .lab("\(path.quoted) cannot be written: \(error.localizedDescription)")
    }
  }
}
