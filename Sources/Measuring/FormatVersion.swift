/// The version of a file format: a program reads its own version and older ones.
package enum FormatVersion {
  /// Returns why a document of a version is not supported, or `nil` if it is.
  package static func refusal(of document: String, _ found: Int, newest: Int) -> String? {
    if (1...newest).contains(found) { return nil }
    return "\(document) of version \(found); this program reads version \(newest)"
  }
}

extension KeyedDecodingContainer {
  /// Decodes the version of a document.
  ///
  /// - Throws: `DecodingError`, including for an unsupported version.
  package func version(of document: String, newest: Int, forKey key: Key) throws -> Int {
    let found = try decode(Int.self, forKey: key)
    if let refusal = FormatVersion.refusal(of: document, found, newest: newest) {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: refusal)
    }
    return found
  }
}
