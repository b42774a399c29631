import Basics
import Foundation
import Measuring
import Reporting

/// A JSON file in a run's folder, with a versioned format.
package protocol RunFile: Decodable {
  /// The document's name with an article, such as "a check".
  static var title: String { get }
  /// The name of the JSON field that contains the format version, which is read first.
  static var versionField: String { get }
  /// The newest version of the format that this build reads.
  static var formatVersion: Int { get }
}

/// Reads the JSON files of a run's folder.
package enum RunDocument {
  /// Reads the document in a file; returns `nil` if the file does not exist.
  ///
  /// - Throws: a usage error that names the file when it has another format or a newer version.
  package static func read<Document: RunFile>(_ path: String) throws(LabError) -> Document? {
    guard FilePath.state(of: path) == .file else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read.")
    }
    if let reason = refusal(of: Document.self, data) { throw .usage(sentence(path, reason)) }
    do { return try JSONDecoder().decode(Document.self, from: data) } catch {
      throw .usage(sentence(path, DocumentFault.reason(of: error)))
    }
  }

  /// Returns the reason why a run cannot be read: its `run.json` is too new; otherwise `nil`.
  package static func refusal(of folder: String) -> String? {
    let path = folder + "/run.json"
    guard let data = FileManager.default.contents(atPath: path),
      let reason = refusal(of: RunRecord.self, data)
    else { return nil }
    return sentence(path, reason)
  }

  /// Returns the reason why a file's version is not supported; `nil` if it is, or if it is missing.
  private static func refusal<Document: RunFile>(of: Document.Type, _ data: Data) -> String? {
    guard let fields = try? JSONDecoder().decode([String: Version].self, from: data),
      let found = fields[Document.versionField]?.number
    else { return nil }
    return FormatVersion.refusal(of: Document.title, found, newest: Document.formatVersion)
  }

  /// The number in a JSON field; `nil` if the field is not a number.
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

extension RunRecord: RunFile {
  package static var title: String { "a run" }
  package static var versionField: String { "run" }
}

/// Finds the folders of runs.
package enum RunFolders {
  /// Returns the folder itself if it contains a run; otherwise all run folders below it.
  ///
  /// The folders are sorted by path. Symbolic links are not followed, so that no run is found twice.
  ///
  /// - Throws: A usage error if the folder does not exist or cannot be listed.
  package static func runs(in folder: String) throws(LabError) -> [String] {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    if FilePath.state(of: path + "/run.json") == .file { return [path] }
    guard FilePath.state(of: path) == .folder,
      let walker = FileManager.default.enumerator(atPath: path)
    else { throw .usage("the runs in \(folder.quoted) cannot be listed.") }
    let files = walker.compactMap { $0 as? String }.filter { $0.hasSuffix("/run.json") }
    return files.map { path + "/" + $0.dropLast("/run.json".count) }.sorted()
  }

  /// Returns the name of a run, which is that of its folder.
  package static func name(of folder: String) -> String {
    String(folder.split(separator: "/").last ?? "")
  }
}
