import Foundation
import Measuring
import Reporting

/// A JSON file of a run's folder, whose form has a version.
protocol RunFile: Decodable {
  /// What it is, in a sentence: "a check".
  static var title: String { get }
  /// The field that holds its version, before which nothing else of it is read.
  static var versionField: String { get }
  /// The newest version that is read.
  static var formatVersion: Int { get }
}

/// Reads the JSON files of a run's folder.
enum RunDocument {
  /// The document in a file; nothing when there is no file.
  ///
  /// - Throws: a usage error that names the file when it holds something else, or is of a newer version.
  static func read<Document: RunFile>(_ path: String) throws(LabError) -> Document? {
    guard FilePath.state(of: path) == .file else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read.")
    }
    if let reason = refusal(of: Document.self, data) { throw .usage(sentence(path, reason)) }
    do { return try JSONDecoder().decode(Document.self, from: data) } catch {
      throw .usage(sentence(path, DocumentFault.reason(of: error)))
    }
  }

  /// Why nothing of a run's folder is read; nil unless a newer program has written its `run.json`.
  static func refusal(of folder: String) -> String? {
    let path = folder + "/run.json"
    guard let data = FileManager.default.contents(atPath: path),
      let reason = refusal(of: RunRecord.self, data)
    else { return nil }
    return sentence(path, reason)
  }

  /// Why a file of another version is not read; nil when it tells none, or one that is.
  private static func refusal<Document: RunFile>(of: Document.Type, _ data: Data) -> String? {
    guard let fields = try? JSONDecoder().decode([String: Version].self, from: data),
      let found = fields[Document.versionField]?.number
    else { return nil }
    return FormatVersion.refusal(of: Document.title, found, newest: Document.formatVersion)
  }

  /// A field's number if it holds one, whatever the others hold.
  private struct Version: Decodable {
    let number: Int?

    init(from decoder: any Decoder) throws {
      number = try? decoder.singleValueContainer().decode(Int.self)
    }
  }

  private static func sentence(_ path: String, _ reason: String) -> String {
    "\(path.quoted) cannot be read as a file of a run: \(reason)."
  }
}

/// What `stress.json` says, as far as others need it.
struct StressDocument: RunFile {
  static let title = "a stress run"
  static let versionField = "stress"
  /// The version of the form; files that tell none are of the first.
  static let formatVersion = 1
  let verdict: String
  let because: String
  let result: StressResult
}

extension RunRecord: RunFile {
  static var title: String { "a run" }
  static var versionField: String { "run" }
}
