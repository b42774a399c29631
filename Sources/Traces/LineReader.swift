#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A position in a file or message, and the strictness with which it is read.
struct Place {
  /// The line of a file, or `nil` for a wire message.
  var line: Int?
  /// Whether unknown keys are ignored.
  var lenient = false
  /// The lines of the keys, if one object spans several lines.
  var keyLines: [String: Int] = [:]

  /// Returns the place of a key.
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

  /// The place after the last line, for errors about missing content.
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
          "It was cut off: copy it again, or remove the line if the lines before it suffice."
        )
      }
      let start = String(decoding: content.prefix(40), as: UTF8.self)
      throw place.error(
        "this is not JSON: \(start)\(content.count > 40 ? "..." : "")",
        "A plan, trace or counterexample has one JSON object a line."
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
