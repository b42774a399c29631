public import Foundation

/// The failing cases of one property, stored in a file and run first in later runs.
///
/// Each case is one line, from which the case is replayed. A corpus may be committed to version
/// control. A line remains until it is removed by hand, and adds one case to each run.
public struct Corpus: Sendable {
  /// The file that contains the failing cases, one on each line; it need not exist.
  public let file: URL

  /// Creates the corpus of a property.
  ///
  /// The file is named after the property, with every character except letters and digits replaced
  /// by a dash, and limited to 120 characters.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder that contains the file.
  ///   - property: The name of the property.
  public init(folder: String, property: String) {
    let name = property.map { $0.isLetter || $0.isNumber ? $0 : "-" }
    file = URL(fileURLWithPath: folder).appendingPathComponent(String(name.prefix(120)) + ".txt")
  }

  /// Returns the cases, oldest first; invalid lines are skipped.
  ///
  /// - Throws: The errors of reading the file, unless it does not exist.
  public func examples() throws -> [ChoiceSequence] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try String(contentsOf: file, encoding: .utf8)
      .split(whereSeparator: \.isNewline)
      .compactMap { ChoiceSequence(String($0)) }
  }

  /// Adds a case, unless the corpus already contains it.
  ///
  /// - Throws: The errors of reading or writing the file.
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
