import Foundation
import Measuring
import Reporting

/// Reads the JSON files of a run's folder.
enum RunDocument {
  /// The document in a file; nothing when there is no file.
  ///
  /// - Throws: a usage error that names the file when it holds something else.
  static func read<Document: Decodable>(_ path: String) throws(LabError) -> Document? {
    guard FilePath.state(of: path) == .file else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read.")
    }
    do { return try JSONDecoder().decode(Document.self, from: data) } catch {
      throw .usage(sentence(path, DocumentFault.reason(of: error)))
    }
  }

  /// Why nothing of a run's folder is read; nil unless a newer program has written its `run.json`.
  static func refusal(of folder: String) -> String? {
    let path = folder + "/run.json"
    guard let data = FileManager.default.contents(atPath: path),
      let found = try? JSONDecoder().decode(Version.self, from: data).run,
      let reason = FormatVersion.refusal(of: "a run", found, newest: RunRecord.formatVersion)
    else { return nil }
    return sentence(path, reason)
  }

  /// The version alone, read before anything else may have changed.
  private struct Version: Decodable {
    let run: Int
  }

  private static func sentence(_ path: String, _ reason: String) -> String {
    "\(path.quoted) cannot be read as a file of a run: \(reason)."
  }
}

/// What `stress.json` says, as far as others need it.
struct StressDocument: Decodable {
  let verdict: String
  let because: String
  let result: StressResult
}
