import Foundation

/// A usage error of the tool, with exit code 64.
struct Refusal: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// One place in the sources, with its original and its replacement text.
struct Edit {
  var file = ""
  /// A text before the place, if the place alone is ambiguous.
  var after: String?
  var old: [String] = []
  var new: [String] = []
  /// The file and line of the table that defines the edit.
  var origin = ""
}

/// The description of a seeded bug in `Tests/Mutants`.
struct Description {
  var name: String
  var sentence = ""
  var least = 0
  var conditions: [String] = []
  /// The reason why no plan can show it; `nil` if one can.
  var equivalence: String?
  var edits: [Edit] = []
  var origin: String

  /// The problem of the description; `nil` if it is valid.
  var problem: String? {
    if edits.isEmpty { return "it edits nothing" }
    if edits.contains(where: { $0.old.isEmpty }) { return "an edit has no line that begins with -" }
    if !sentence.hasSuffix(".") || sentence.first?.isUppercase != true {
      return "it has no sentence"
    }
    if (least > 0) == (equivalence != nil) { return "it needs either least or same" }
    return nil
  }
}

extension Description {
  /// Reads the tables of a folder, in the order of their names.
  static func all(in folder: String) throws -> [Description] {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".txt") && $0 != "equivalent.txt" }.sorted()
    let found = try files.flatMap { try read("\(folder)/\($0)", named: $0) }
    var names: Set<String> = []
    for one in found {
      if let problem = one.problem { throw Refusal("\(one.origin): \(one.name): \(problem).") }
      guard names.insert(one.name).inserted else {
        throw Refusal("\(one.origin): there are two mutants with the name \(one.name).")
      }
    }
    return found
  }

  private static func read(_ path: String, named file: String) throws -> [Description] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var found: [Description] = []
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let origin = "\(file):\(index + 1)"
      if line.isEmpty || line.hasPrefix("#") { continue }
      let word = String(line.prefix { $0 != " " })
      let rest = String(line.dropFirst(word.count + 1))
      if word == "mutant" {
        found.append(Description(name: rest, origin: origin))
        continue
      }
      guard !found.isEmpty else { throw Refusal("\(origin): a mutant begins with its name.") }
      try found[found.count - 1].take(word, rest, origin)
    }
    return found
  }

  private mutating func take(_ word: String, _ rest: String, _ origin: String) throws {
    switch word {
    case "sentence": sentence = rest
    case "least": least = Int(rest) ?? 0
    case "under": conditions = rest.components(separatedBy: ", ")
    case "same": equivalence = rest
    case "file": edits.append(Edit(file: rest, origin: origin))
    case "after", "-", "+":
      guard !edits.isEmpty else { throw Refusal("\(origin): an edit begins with its file.") }
      switch word {
      case "after": edits[edits.count - 1].after = rest
      case "-": edits[edits.count - 1].old.append(rest)
      default: edits[edits.count - 1].new.append(rest)
      }
    default: throw Refusal("\(origin): there is no word \"\(word)\" for a mutant.")
    }
  }
}

extension Edit {
  /// The bytes of a source that the edit replaces, and their replacement.
  ///
  /// Lines match whatever their indentation.
  func place(in source: String) throws -> (range: Range<Int>, text: String) {
    var start = source.startIndex
    if let after {
      let found = source.ranges(of: after)
      guard found.count == 1 else { throw refusal("\"\(after)\" is there", found.count) }
      start = found[0].upperBound
    }
    let lines = old.map {
      NSRegularExpression.escapedPattern(for: $0.trimmingCharacters(in: .whitespaces))
    }
    let pattern = try NSRegularExpression(pattern: lines.joined(separator: "\n[ \t]*"))
    let found = pattern.matches(in: source, range: NSRange(start..., in: source))
    guard found.count == 1 || after != nil && !found.isEmpty else {
      throw refusal("the code to replace is there", found.count)
    }
    guard let range = Range(found[0].range, in: source) else {
      throw refusal("the code to replace is there", 0)
    }
    let line =
      source[..<range.lowerBound].lastIndex(of: "\n").map(source.index(after:)) ?? source.startIndex
    let indent = source[line...].prefix { $0 == " " }
    let text = new.enumerated().map {
      $0 == 0 ? $1.trimmingCharacters(in: .whitespaces) : indent + $1
    }
    let low = source.utf8.distance(from: source.startIndex, to: range.lowerBound)
    let high = source.utf8.distance(from: source.startIndex, to: range.upperBound)
    return (low..<high, text.joined(separator: "\n"))
  }

  private func refusal(_ what: String, _ count: Int) -> Refusal {
    Refusal("\(origin): in \(file) \(what) \(count) times, not once. Let the edit follow the code.")
  }
}
