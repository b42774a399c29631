import Foundation
import Measuring
import Reporting

/// The committed counts that ours may come to on one platform.
struct ThresholdFile {
  /// The folder of all platforms.
  static let folder = "Benchmarks/Thresholds"

  let path: String

  /// The file for what a run was measured with.
  init(for environment: RunEnvironment, in folder: String) {
    path = "\(folder)/\(environment.platform)/counts.json"
  }

  /// Reads the thresholds; nothing when there are none for the platform.
  ///
  /// - Throws: a usage error when the file holds something else.
  func read() throws(LabError) -> CountThresholds? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    do { return try JSONDecoder().decode(CountThresholds.self, from: data) } catch {
      throw .usage("\(path.quoted) holds no thresholds: \(DocumentFault.reason(of: error)).")
    }
  }

  /// Writes thresholds with sorted keys, so that a change shows where it is.
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
