internal import HistoryTypes

/// A JSON object whose values are strings, with the line number of each key for error messages.
package struct WordTable {
  private let fields: Fields
  private let place: Place
  private let words: [String: String]

  /// Reads a JSON object whose values are strings, except the format's version, which is a number.
  ///
  /// - Throws: ``FormatError`` if the text is not JSON, or a value is not a string.
  package init(_ text: String, as what: String) throws(FormatError) {
    place = Place(line: nil, keyLines: SetupCodec.lines(of: text))
    fields = try Fields(
      try SetupCodec.parse(text, "Write one object of strings: {\"name\": \"my-app\", ...}."),
      as: what,
      at: place
    )
    var words: [String: String] = [:]
    for key in fields.members.keys.sorted() where fields.members[key]?.isNumber == false {
      words[key] = try fields.string(ifAny: key)
    }
    self.words = words
  }

  /// The string of a key; `nil` if the key is absent.
  package subscript(key: String) -> String? { words[key] }

  /// Throws unless the value of the key is the expected format version.
  package func check(version: Int, key: String) throws(FormatError) {
    try PlanCodec.checkVersion(key, is: version, in: fields)
  }

  /// Throws if the object has an unknown key; the error suggests the nearest known key.
  package func allow(_ keys: [String]) throws(FormatError) { try fields.allow(keys) }

  /// Throws if the key's word is not an allowed one; the error suggests the nearest allowed word.
  package func check(
    _ word: String,
    of key: String,
    isOneOf words: [String]
  ) throws(FormatError) {
    guard !words.contains(word) else { return }
    throw error(
      key,
      "\"\(key)\" of \(fields.what) cannot be \"\(word)\"",
      Fields.advice(word, words)
    )
  }

  /// Returns an error about one key, or about the whole JSON object if the key is `nil`.
  package func error(_ key: String?, _ problem: String, _ advice: String) -> FormatError {
    (key.map { place.of($0) } ?? place).error(problem, advice)
  }

  /// Returns the text of a JSON object with a format version and string values, one member on each line.
  package static func text(version: Int, key: String, _ rows: [(String, String)]) -> String {
    let first = "  \(JSONValue.string(key).line): \(version)"
    let lines = rows.map { row in
      "  \(JSONValue.string(row.0).line): \(JSONValue.string(row.1).line)"
    }
    return "{\n" + ([first] + lines).joined(separator: ",\n") + "\n}\n"
  }
}

extension JSONValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .number: true
    default: false
    }
  }
}
