import Foundation
package import Measuring

/// Reads and writes `results.json`, from which every report can be reproduced.
package enum ResultsFile {
  /// Returns results as JSON with sorted keys.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
  package static func json(_ results: BenchmarkResults) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(results), as: UTF8.self) + "\n"
  }

  /// Reads results that this version or an older one wrote.
  ///
  /// - Throws: `ResultsFileError` with the file's path and the reason.
  package static func read(path: String) throws(ResultsFileError) -> BenchmarkResults {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ResultsFileError(path: path, reason: "the file cannot be read")
    }
    do {
      return try JSONDecoder().decode(BenchmarkResults.self, from: data)
    } catch {
      throw ResultsFileError(path: path, reason: DocumentFault.reason(of: error))
    }
  }
}

/// The reason for which a file cannot be read as results.
package struct ResultsFileError: Error, Equatable, CustomStringConvertible {
  /// The path of the file.
  package var path: String
  /// The reason, as a clause.
  package var reason: String

  /// The path, the reason and a suggestion as one line of text.
  package var description: String {
    "\(path) holds no benchmark results: \(reason); give a results.json that bench run wrote"
  }
}
