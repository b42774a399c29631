import Foundation

/// Finds the generated edits that prevent a build: those around each compiler error.
///
/// - Returns: Their names; empty if no edit is near.
func blamed(in folder: String, log: String) throws -> Set<String> {
  let table = try String(
    contentsOfFile: "\(folder)/Sources/Systems/Mutants/MutantTable.swift",
    encoding: .utf8
  )
  var names: [Int: String] = [:]
  for line in table.components(separatedBy: "\n") {
    let parts = line.trimmingCharacters(in: .whitespaces).components(separatedBy: "\t")
    if parts.count >= 3, let number = Int(parts[0]) { names[number] = parts[1] }
  }
  let error = try NSRegularExpression(pattern: "(?m)^.*?(/[^:\\n]*\\.swift):(\\d+):(\\d+): error:")
  let edit = try NSRegularExpression(pattern: "mutated\\((\\d+)\\)")
  let text = try String(contentsOfFile: log, encoding: .utf8)
  var found: Set<String> = []
  for match in error.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
    let parts = (1...3).compactMap { Range(match.range(at: $0), in: text).map { String(text[$0]) } }
    guard let source = try? String(contentsOfFile: parts[0], encoding: .utf8) else { continue }
    let lines = source.components(separatedBy: "\n")
    guard let line = Int(parts[1]), let column = Int(parts[2]), line <= lines.count else {
      continue
    }
    let start = lines[..<(line - 1)].reduce(0) { $0 + $1.utf16.count + 1 }
    let numbers = edit.matches(in: source, range: NSRange(source.startIndex..., in: source))
      .compactMap { one in
        Range(one.range(at: 1), in: source).flatMap { Int(source[$0]) }.map {
          (place: one.range.location, number: $0)
        }
      }
    let end = start + lines[line - 1].utf16.count
    let before = numbers.last { $0.place < start + column }
    let after = numbers.first { $0.place >= start + column && $0.place <= end }
    for one in [before, after].compactMap({ $0 }) {
      if let name = names[one.number] { found.insert(name) }
    }
  }
  return found
}
