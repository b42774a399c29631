import Foundation
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
