// Writes a copy of the sources that carries mutants, or checks that their edits apply.
//
// Usage: mutate ROOT check
//        mutate ROOT copy FOLDER GENERATED-COUNT SEED [WITHOUT-FILE]
//        mutate ROOT blame FOLDER BUILD-LOG
import Foundation

/// The rooms of the product, which the edits apply to.
let rooms = [
  "SQLiteStorage", "HistoryTypes", "HistoryStore", "ObjectContexts", "HistoryTracking",
]

/// Files that no plan covers: readers of files that Core Data wrote, and texts.
let leftOut = [
  "Foreign/ForeignHistory", "StoreCore+CoreData", "FileWatch+Darwin",
  "HistoryError", "InspectionError", "SQLiteError", "TrackerLogger",
]

func swiftFiles(in root: String) throws -> [String] {
  try rooms.flatMap { room in
    try FileManager.default.subpathsOfDirectory(atPath: "\(root)/Sources/\(room)")
      // The code of a tutorial is not built.
      .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.sorted().map {
        "Sources/\(room)/\($0)"
      }
  }
}

func literal(_ text: String) -> String { "#\"\(text)\"#" }

func table(_ some: [Description], _ generated: [String]) -> String {
  var lines = [
    "import CMutants", "", "extension Mutant {", "  package static let all: [Mutant] = [",
  ]
  for (index, one) in some.enumerated() {
    let under = one.conditions.map(literal).joined(separator: ", ")
    let same = one.equivalence.map(literal) ?? "nil"
    lines.append(
      "    Mutant(\(literal(one.name)), number: \(index + 1), least: \(one.least), under: [\(under)], sameBecause: \(same), \(literal(one.sentence))),"
    )
  }
  lines += ["  ]", "", "  package static let generated: [Mutant] = \"\"\""]
  lines += generated.map {
    "    " + $0.replacingOccurrences(of: "\\", with: "/").replacingOccurrences(of: "\"", with: "'")
  }
  lines += [
    "    \"\"\".split(separator: \"\\n\").map { line in",
    "      let parts = line.split(separator: \"\\t\", maxSplits: 2).map(String.init)",
    "      return Mutant(parts[1], number: Int32(parts[0])!, least: 1, parts[2])", "    }", "}", "",
    "enum MutantSwitch {", "  static func set(_ number: Int32) { mutated_turn_on(number) }", "}",
    "",
  ]
  return lines.joined(separator: "\n")
}

/// Returns an eight-digit hash of a text (FNV-1a).
func hash(_ text: String) -> String {
  let value = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
  return String(repeating: "0", count: value.leadingZeroBitCount / 4) + String(value, radix: 16)
}

/// The place of a name in the order that a seed draws.
func rank(_ name: String, _ seed: UInt64) -> UInt64 {
  var z = name.utf8.reduce(seed &+ 0x9E37_79B9_7F4A_7C15) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}

/// Returns the names of the edits that change nothing.
func equivalent(_ root: String) throws -> Set<String> {
  let text = try String(contentsOfFile: "\(root)/Tests/Mutants/equivalent.txt", encoding: .utf8)
  return Set(
    text.split(separator: "\n").filter { $0.hasPrefix("g") }.map { String($0.prefix { $0 != " " }) }
  )
}

/// Returns the edits that rules make in the sources, with their names.
///
/// - Throws: ``Refusal`` if `equivalent.txt` names an edit that is not among them.
func generated(
  in sources: [Source],
  _ root: String
) throws -> [(source: Source, edit: GeneratedEdit, name: String)] {
  var found: [(source: Source, edit: GeneratedEdit, name: String)] = []
  var known: [String: Int] = [:]
  for source in sources.sorted(by: { $0.path < $1.path })
  where !leftOut.contains(where: source.path.contains) {
    let finder = EditFinder(source)
    finder.walk(source.syntax)
    for edit in finder.edits {
      // A name that does not change with the lines above the edit.
      let key = "\(source.path) \(edit.rule) \(source.lines(of: edit.range))"
      known[key, default: 0] += 1
      found.append((source, edit, "g" + hash("\(key) \(known[key, default: 0])")))
    }
  }
  let unknown = try equivalent(root).subtracting(found.map(\.name))
  guard unknown.isEmpty else {
    throw Refusal(
      "equivalent.txt names \(unknown.sorted().joined(separator: ", ")), which no edit has; let the entry follow the code, or remove it."
    )
  }
  return found
}

func run() throws {
  let arguments = CommandLine.arguments
  guard arguments.count >= 3 else {
    throw Refusal("usage: mutate ROOT check | copy FOLDER COUNT SEED [WITHOUT]")
  }
  let root = arguments[1]
  if arguments[2] == "blame", arguments.count == 5 {
    let names = try blamed(in: arguments[3], log: arguments[4])
    guard !names.isEmpty else {
      throw Refusal("no generated edit is near an error of \(arguments[4]).")
    }
    print(names.sorted().joined(separator: "\n"))
    return
  }
  let some = try Description.all(in: "\(root)/Tests/Mutants")
  let sources = try Dictionary(
    uniqueKeysWithValues: swiftFiles(in: root).map { ($0, try Source($0, root: root)) }
  )
  for (index, one) in some.enumerated() {
    for edit in one.edits {
      guard let source = sources[edit.file] else {
        throw Refusal("\(edit.origin): there is no file \(edit.file) in the product.")
      }
      let place = try edit.place(in: source.text)
      try source.add(index + 1, replacing: place.range, with: place.text)
    }
  }
  for source in sources.values { _ = try source.mutated() }
  for place in leftOut where !sources.values.contains(where: { $0.path.contains(place) }) {
    throw Refusal("leftOut names \(place), but no source has such a path; remove or correct it.")
  }
  if arguments[2] == "check" {
    _ = try generated(in: Array(sources.values), root)
    for one in some { print("\(one.name)\t\(one.least)\t\(one.equivalence == nil ? "" : "same")") }
    return
  }
  guard arguments.count >= 6, let count = Int(arguments[4]), let seed = UInt64(arguments[5]) else {
    throw Refusal("copy takes a folder, a count and a seed.")
  }
  let without =
    arguments.count > 6
    ? Set(
      try String(contentsOfFile: arguments[6], encoding: .utf8).split(separator: "\n").map(
        String.init
      )
    ) : []
  var found = try generated(in: Array(sources.values), root)
  print("\(found.count) edits are possible")
  // The draw depends on names alone: code that changes elsewhere does not draw other edits.
  if count < found.count {
    found = Array(
      found.map { (rank($0.name, seed), $0) }.sorted { $0.0 < $1.0 }.map(\.1).prefix(count)
    )
  }
  found.sort {
    ($0.source.path, $0.edit.range.lowerBound, $0.edit.rule) < (
      $1.source.path, $1.edit.range.lowerBound, $1.edit.rule
    )
  }
  var generated: [String] = []
  for (offset, one) in found.enumerated() {
    let number = some.count + 1 + offset
    let name = one.name
    if without.contains(name) { continue }
    let line = one.source.line(of: one.edit.range.lowerBound)
    do { try one.source.add(number, replacing: one.edit.range, with: one.edit.text) } catch {
      continue
    }
    let old = one.source.string(one.edit.range).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }.joined(separator: " ")
    generated.append(
      "\(number)\t\(name)\t\(one.source.path.dropFirst(8)):\(line): \(one.edit.rule): \(old.prefix(90))"
    )
  }
  try Copy(root: root, folder: arguments[3]).write(
    Array(sources.values),
    table: table(some, generated)
  )
  print("\(some.count) described and \(generated.count) generated mutants lie in \(arguments[3])")
}

do { try run() } catch let refusal as Refusal {
  FileHandle.standardError.write(Data("mutants: \(refusal.sentence)\n".utf8))
  exit(64)
}
