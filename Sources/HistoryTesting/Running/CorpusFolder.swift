internal import Foundation

/// A folder of counterexamples.
struct CorpusFolder: Sendable {
  private let url: URL

  /// Creates a folder's description; a relative path starts at the folder of a source file.
  init(_ path: String, from file: String) {
    let base = URL(filePath: file).deletingLastPathComponent()
    url = path.hasPrefix("/") ? URL(filePath: path) : base.appending(path: path)
  }

  /// The path.
  var path: String { url.path(percentEncoded: false) }

  /// Whether the folder is there.
  var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Returns the counterexamples, sorted by name; none if the folder does not exist yet.
  func files() throws -> [SavedCounterexample] {
    guard exists else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0.hasSuffix(".jsonl") }.sorted()
      .map { SavedCounterexample(name: $0, path: url.appending(path: $0).path) }
  }

  /// Adds a counterexample under a name that depends on its content.
  func add(_ failure: HistoryFailure) throws {
    try create()
    let name = "\(failure.checker)-\(Self.hash(failure.jsonLines)).jsonl"
    try failure.jsonLines.write(
      to: url.appending(path: name),
      atomically: true,
      encoding: .utf8
    )
  }

  /// Returns the command that repeats the plan within which the last run of a test ended.
  func unfinished(_ test: String) -> String? {
    let text = try? String(contentsOf: place(of: test), encoding: .utf8)
    return text?.isEmpty == false ? text : nil
  }

  /// Returns the mark of the plan that a test is running.
  ///
  /// - Throws: an error of the file system when the mark cannot be written, since a trap would then
  ///   lose its plan.
  func mark(_ test: String) throws -> PlanMark {
    try create()
    let mark = PlanMark(url: place(of: test))
    try Data().write(to: mark.url)
    return mark
  }

  private func place(of test: String) -> URL {
    url.appending(path: HistoryFailure.file(test, "unfinished", "txt"))
  }

  private func create() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// The FNV-1a hash of a text, in hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}

/// A file that contains the command which repeats the plan that is running.
///
/// It outlives a process that a trap ends.
struct PlanMark: Sendable {
  let url: URL

  /// Writes the command; a later failure is ignored, because the plan does not need the file.
  func write(_ command: String) { try? Data(command.utf8).write(to: url) }

  /// Removes the file.
  func remove() { try? FileManager.default.removeItem(at: url) }
}
