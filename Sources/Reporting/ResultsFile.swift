import Foundation
package import Measuring

/// Reads and writes `results.json`, the record from which every report can be made again.
package enum ResultsFile {
  /// Writes results as JSON with sorted keys.
  ///
  /// - Throws: `EncodingError`, for a number that is none.
  package static func json(_ results: BenchmarkResults) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(results), as: UTF8.self) + "\n"
  }

  /// Reads results that this or an older program wrote.
  ///
  /// - Throws: `ResultsFileError` with a sentence that names the file.
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

/// Why a file is not taken for results.
package struct ResultsFileError: Error, Equatable, CustomStringConvertible {
  /// The file.
  package var path: String
  /// What is wrong with it.
  package var reason: String

  /// Says what happened, where, and what to try.
  package var description: String {
    "\(path) holds no benchmark results: \(reason); give a results.json that bench run wrote"
  }
}
