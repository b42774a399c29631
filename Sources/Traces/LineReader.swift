import Basics

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The place that an error names: a line of a file, or a wire message.
struct Place {
  /// The line in a file; `nil` for a wire message.
  var line: Int?
  /// Whether unknown keys are ignored.
  var lenient = false
  /// The line of each key, if one JSON object spans several lines of the file.
  var keyLines: [String: Int] = [:]

  /// Returns the place of a key, for an error about that key.
  func of(_ key: String) -> Place {
    var place = self
    place.line = keyLines[key] ?? line
    return place
  }

  func error(_ problem: String, _ advice: String) -> FormatError {
    FormatError(line: line, problem: problem, advice: advice)
  }
}

/// Reads JSON Lines text line by line, skipping blank lines.
struct LineReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 0
  private let decoder = JSONDecoder()

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The place after the last line, for an error about missing content.
  var end: Place { Place(line: line + 1) }

  /// Returns the next line that is not blank, or `nil` at the end.
  ///
  /// - Throws: ``FormatError`` if the line is not JSON or is truncated.
  mutating func next() throws(FormatError) -> (place: Place, value: JSONValue)? {
    while position < bytes.count {
      let rest = bytes[position...]
      let stop = rest.firstIndex(of: UInt8(ascii: "\n"))
      let content = rest[..<(stop ?? bytes.count)]
      position = (stop ?? bytes.count) + 1
      line += 1
      if content.contains(where: { $0 > UInt8(ascii: " ") }) {
        let place = Place(line: line)
        return (place, try parse(content, at: place, isCut: stop == nil))
      }
    }
    return nil
  }

  private func parse(
    _ content: ArraySlice<UInt8>,
    at place: Place,
    isCut: Bool
  ) throws(FormatError) -> JSONValue {
    do {
      return try decoder.decode(JSONValue.self, from: Data(content))
    } catch {
      if isCut {
        throw place.error(
          "the file ends in the middle of this line",
          "The file is incomplete: copy it again, or remove this line if the lines before it suffice."
        )
      }
      let start = String(decoding: content.prefix(40), as: UTF8.self)
      throw place.error(
        "this is not JSON: \(start)\(content.count > 40 ? "..." : "")",
        "Write one JSON object a line."
      )
    }
  }
}

extension JSONValue {
  /// Parses one wire message.
  ///
  /// - Throws: ``FormatError`` if the message is not JSON.
  init(message: String) throws(FormatError) {
    var reader = LineReader(message + "\n")
    let next: (place: Place, value: JSONValue)?
    do throws(FormatError) { next = try reader.next() } catch {
      throw FormatError(line: nil, problem: error.problem, advice: "Send one JSON object a line.")
    }
    guard let (_, value) = next else {
      throw FormatError(
        line: nil,
        problem: "the message is empty",
        advice: "Send one JSON object a line."
      )
    }
    self = value
  }
}

/// A JSON object whose values are read by key; a wrong value throws an error that names its place.
///
/// A key with the value `null` counts as absent.
struct Fields {
  /// A description of the JSON object for error messages, with its article, such as "the header".
  let what: String
  let place: Place
  let members: [String: JSONValue]

  init(_ value: JSONValue, as what: String, at place: Place) throws(FormatError) {
    guard let members = value.members else {
      throw place.error("\(what) is not an object", "Write {\"key\":value,...}.")
    }
    self.init(members, as: what, at: place)
  }

  init(_ members: [String: JSONValue], as what: String, at place: Place) {
    self.what = what
    self.place = place
    self.members = members
  }

  /// Returns the same JSON object with another description.
  func named(_ what: String) -> Fields { Fields(members, as: what, at: place) }

  /// Returns whether the key is present and not `null`.
  func has(_ key: String) -> Bool { (members[key] ?? .null) != .null }

  /// Throws if the object has an unknown key, unless ``Place/lenient`` says to ignore such keys.
  func allow(_ known: [String]) throws(FormatError) {
    if place.lenient { return }
    guard let key = members.keys.filter({ !known.contains($0) }).min() else { return }
    throw place.of(key).error("\(what) has the unknown key \"\(key)\"", Self.advice(key, known))
  }

  /// Returns a suggestion: the nearest known name, or all known names.
  static func advice(_ name: String, _ known: [String]) -> String {
    let known = known.sorted()
    if let nearest = NearestWord.find(name, among: known) { return "Did you mean \"\(nearest)\"?" }
    return "Use one of \(known.map { "\"\($0)\"" }.joined(separator: ", "))."
  }

  /// Returns the value of a key, or `nil` if the key is absent.
  func find<T>(
    _ key: String,
    _ wanted: String,
    _ convert: (JSONValue) -> T?
  ) throws(FormatError) -> T? {
    guard let value = members[key], value != .null else { return nil }
    guard let result = convert(value) else {
      throw place.of(key).error(
        "\"\(key)\" of \(what) is \(value.excerpt)",
        "Make it \(wanted)."
      )
    }
    return result
  }

  /// Returns the value of a required key.
  func need<T>(
    _ key: String,
    _ wanted: String,
    _ convert: (JSONValue) -> T?
  ) throws(FormatError) -> T {
    guard let value = try find(key, wanted, convert) else {
      throw place.error("\(what) lacks the key \"\(key)\"", "Add it with \(wanted).")
    }
    return value
  }
}

extension Fields {
  func string(_ key: String) throws(FormatError) -> String {
    try need(key, "a string", \.text)
  }

  func string(ifAny key: String) throws(FormatError) -> String? {
    try find(key, "a string", \.text)
  }

  func strings(ifAny key: String) throws(FormatError) -> [String]? {
    try find(key, "a list of strings") { value in
      guard let texts = value.elements?.map(\.text), !texts.contains(nil) else { return nil }
      return texts.compactMap { $0 }
    }
  }

  func bool(_ key: String, default standard: Bool) throws(FormatError) -> Bool {
    try find(key, "true or false", \.truth) ?? standard
  }

  /// Returns a nonnegative integer, or `nil` if the key is absent.
  func count(ifAny key: String) throws(FormatError) -> Int? {
    try find(key, "a whole number, 0 or more", Self.count)
  }

  func count(_ key: String) throws(FormatError) -> Int {
    try need(key, "a whole number, 0 or more", Self.count)
  }

  private static func count(_ value: JSONValue) -> Int? {
    guard case .integer(let number) = value, number >= 0 else { return nil }
    return Int(number)
  }

  func finite(ifAny key: String) throws(FormatError) -> Double? {
    try find(key, "a number", \.finite)
  }

  func finite(_ key: String) throws(FormatError) -> Double {
    try need(key, "a number", \.finite)
  }

  /// Returns a number of seconds; NaN and infinity are accepted, so that checkers can reject them.
  func seconds(_ key: String) throws(FormatError) -> Double {
    try need(key, "a number of seconds", \.double)
  }

  /// Returns the JSON objects in the list under a key; an empty list if the key is absent.
  func objects(_ key: String, as name: String) throws(FormatError) -> [Fields] {
    let list = try find(key, "a list of objects", \.elements) ?? []
    return try list.enumerated().map { (item) throws(FormatError) in
      try Fields(item.element, as: "\(name) \(item.offset + 1) of \(what)", at: place)
    }
  }

  /// Returns the enumeration case whose raw value is the string under a key.
  func choice<T: RawRepresentable & CaseIterable>(
    _ key: String,
    as type: T.Type
  ) throws(FormatError) -> T where T.RawValue == String {
    try word(try string(key), of: key)
  }

  func choice<T: RawRepresentable & CaseIterable>(
    _ key: String,
    default standard: T
  ) throws(FormatError) -> T where T.RawValue == String {
    guard let text = try string(ifAny: key) else { return standard }
    return try word(text, of: key)
  }

  private func word<T: RawRepresentable & CaseIterable>(
    _ text: String,
    of key: String
  ) throws(FormatError) -> T where T.RawValue == String {
    guard let result = T(rawValue: text) else {
      let advice = Self.advice(text, T.allCases.map(\.rawValue))
      throw place.of(key).error("\"\(key)\" of \(what) cannot be \"\(text)\"", advice)
    }
    return result
  }
}

/// An error in a plan, trace or counterexample: the line, the problem and a suggestion.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line of the file, counted from 1, or `nil` for a wire message.
  package var line: Int?
  /// The problem, as a clause without a period at its end.
  package var problem: String
  /// The suggestion, as a sentence.
  package var advice: String

  package init(line: Int?, problem: String, advice: String) {
    self.line = line
    self.problem = problem
    self.advice = advice
  }

  /// The line, the problem and the suggestion as one line of text.
  package var description: String {
    let place = line.map { "line \($0): " } ?? ""
    return "\(place)\(problem). \(advice)"
  }
}
