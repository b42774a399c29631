public import Foundation

/// The failing cases of one property, kept in a file to be tried first from then on.
///
/// Each is one line to replay from. A corpus may be committed: a line stays until someone takes it
/// out, and costs one case.
public struct Corpus: Sendable {
  /// The file, which need not exist.
  public let file: URL

  /// Makes the corpus of a property; letters, digits and dashes of its name stay in the file's.
  public init(folder: String, property: String) {
    let name = property.map { $0.isLetter || $0.isNumber ? $0 : "-" }
    file = URL(fileURLWithPath: folder).appendingPathComponent(String(name.prefix(120)) + ".txt")
  }

  /// Returns the cases, the oldest first; lines that are none are left out.
  ///
  /// - Throws: what reading the file throws, unless it does not exist.
  public func examples() throws -> [ChoiceSequence] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try String(contentsOf: file, encoding: .utf8)
      .split(whereSeparator: \.isNewline)
      .compactMap { ChoiceSequence(String($0)) }
  }

  /// Adds a case unless it is there.
  ///
  /// - Throws: what reading or writing the file throws.
  public func add(_ sequence: ChoiceSequence) throws {
    let examples = try examples()
    guard !examples.contains(sequence) else { return }
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    let lines = (examples + [sequence]).map { $0.description + "\n" }
    try Data(lines.joined().utf8).write(to: file, options: .atomic)
  }
}
