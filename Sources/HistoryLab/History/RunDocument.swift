import Foundation
import Measuring
import Reporting

/// A JSON file in a run's folder, with a versioned format.
protocol RunFile: Decodable {
  /// The name of the document with its article: "a check".
  static var title: String { get }
  /// The field that contains the version, which is read before anything else.
  static var versionField: String { get }
  /// The newest supported version.
  static var formatVersion: Int { get }
}

/// Reads the JSON files of a run's folder.
enum RunDocument {
  /// Reads the document in a file; returns `nil` if the file does not exist.
  ///
  /// - Throws: a usage error that names the file when it is not such a document, or has a newer
  ///   version.
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

  /// Returns the reason why a run's folder is not read; `nil` unless its `run.json` is too new.
  static func refusal(of folder: String) -> String? {
    let path = folder + "/run.json"
    guard let data = FileManager.default.contents(atPath: path),
      let reason = refusal(of: RunRecord.self, data)
    else { return nil }
    return sentence(path, reason)
  }

  /// Returns the reason why a version is not supported; `nil` if it is, or if the file states none.
  private static func refusal<Document: RunFile>(of: Document.Type, _ data: Data) -> String? {
    guard let fields = try? JSONDecoder().decode([String: Version].self, from: data),
      let found = fields[Document.versionField]?.number
    else { return nil }
    return FormatVersion.refusal(of: Document.title, found, newest: Document.formatVersion)
  }

  /// The number in a field; `nil` for fields of any other type.
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

/// The parts of `stress.json` that other verbs read.
struct StressDocument: RunFile {
  static let title = "a stress run"
  static let versionField = "stress"
  /// The version of the format; files without one have version 1.
  static let formatVersion = 1
  let verdict: String
  let because: String
  let result: StressResult
}

extension RunRecord: RunFile {
  static var title: String { "a run" }
  static var versionField: String { "run" }
}
