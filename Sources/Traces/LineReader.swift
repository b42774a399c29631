#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Where something is read, and how strictly.
struct Place {
  /// The line of a file, or nothing on the wire.
  var line: Int?
  /// Whether unknown keys are passed over.
  var lenient = false
  /// The lines of keys, where one object goes over several.
  var keyLines: [String: Int] = [:]

  /// The place of a key.
  func of(_ key: String) -> Place {
    var place = self
    place.line = keyLines[key] ?? line
    return place
  }

  func error(_ problem: String, _ advice: String) -> FormatError {
    FormatError(line: line, problem: problem, advice: advice)
  }
}

/// Reads a JSON Lines text line by line; empty lines are passed over.
struct LineReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 0
  private let decoder = JSONDecoder()

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The line after the last one, for what is missing there.
  var end: Place { Place(line: line + 1) }

  /// The next line that is not empty, or nothing at the end.
  ///
  /// - Throws: ``FormatError`` when the line is not JSON, or was cut off.
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
  /// Parses one message of the wire.
  ///
  /// - Throws: ``FormatError`` when it is not JSON.
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
