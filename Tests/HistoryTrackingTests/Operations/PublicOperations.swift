import Foundation

/// The public operations that can throw, as declared in the sources of some rooms.
///
/// One is written `Store.purge(before: Date)`: its type, its name, and the required parameters, so
/// that overloads differ.
enum PublicOperations {
  /// Reads every file of some rooms.
  static func names(in rooms: [String]) throws -> Set<String> {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources", isDirectory: true).standardizedFileURL
    var found: Set<String> = []
    for room in rooms {
      let folder = sources.appendingPathComponent(room, isDirectory: true)
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      for path in paths where path.hasSuffix(".swift") {
        let file = folder.appendingPathComponent(path)
        found.formUnion(names(in: try String(contentsOf: file, encoding: .utf8)))
      }
    }
    return found
  }

  /// The operations of one file.
  static func names(in source: String) -> [String] {
    var type = ""
    var found: [String] = []
    var declaration: String?
    for line in source.split(separator: "\n") {
      if let name = typeName(in: line) { type = name }
      let text = line.trimmingCharacters(in: .whitespaces)
      if declaration == nil, isDeclaration(text) { declaration = "" }
      guard let begun = declaration else { continue }
      declaration = begun + " " + text
      guard text.hasSuffix("{") || text.hasSuffix("}") else { continue }
      if let name = name(of: begun + " " + text) { found.append(type + "." + name) }
      declaration = nil
    }
    return found
  }

  private static func isDeclaration(_ line: String) -> Bool {
    line.hasPrefix("public ") && (line.contains(" func ") || line.contains(" init("))
  }

  /// Returns the type whose declaration or extension starts on a line.
  private static func typeName(in line: Substring) -> String? {
    let kinds: Set<Substring> = ["class", "struct", "enum", "actor", "extension", "protocol"]
    guard let first = line.first, first.isLetter else { return nil }
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count else {
      return nil
    }
    return String(words[place + 1].prefix { $0.isLetter || $0.isNumber })
  }

  /// Returns a short form of a declaration, or `nil` if it cannot throw.
  private static func name(of declaration: String) -> String? {
    let word = declaration.contains(" func ") ? " func " : " init"
    guard let start = declaration.range(of: word),
      let open = declaration[start.upperBound...].firstIndex(of: "(")
    else { return nil }
    var depth = 0
    let close = declaration[open...].firstIndex { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth == 0
    }
    guard let close, declaration[close...].contains("throws") else { return nil }
    let name = declaration[start.upperBound..<open].prefix { $0 != "<" }
    let parameters = parts(of: declaration[declaration.index(after: open)..<close])
      .compactMap(parameter)
    return (word == " init" ? "init" : String(name)) + "(\(parameters.joined(separator: ", ")))"
  }

  /// Splits a list at the commas outside of brackets.
  private static func parts(of list: Substring) -> [Substring] {
    var depth = 0
    var last: Character = " "
    return list.split { character in
      if "([<".contains(character) { depth += 1 }
      if ")]".contains(character) || character == ">" && last != "-" { depth -= 1 }
      last = character
      return character == "," && depth == 0
    }
  }

  /// Returns a parameter's label and type, or `nil` if it has a default.
  private static func parameter(_ text: Substring) -> String? {
    guard !text.contains(" = "), let colon = text.firstIndex(of: ":") else { return nil }
    let label = text[..<colon].split(separator: " ").first ?? "_"
    let type = text[text.index(after: colon)...].split(separator: " ").filter {
      !$0.hasPrefix("@")
    }
    return "\(label): \(type.joined(separator: " "))"
  }
}
