/// The version that a file's format carries: a program reads its own and older ones.
package enum FormatVersion {
  /// Why a document of a version is not read; nil when it is.
  package static func refusal(of document: String, _ found: Int, newest: Int) -> String? {
    if (1...newest).contains(found) { return nil }
    return "\(document) of version \(found); this program reads version \(newest)"
  }
}

extension KeyedDecodingContainer {
  /// Decodes the version of a document.
  ///
  /// - Throws: `DecodingError`, for a version that is not read too.
  package func version(of document: String, newest: Int, forKey key: Key) throws -> Int {
    let found = try decode(Int.self, forKey: key)
    if let refusal = FormatVersion.refusal(of: document, found, newest: newest) {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: refusal)
    }
    return found
  }
}
