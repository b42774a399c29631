/// Lays text out in columns of letters.
enum Columns {
  /// Two columns: names, and beside them sentences broken at the width, indented by two.
  ///
  /// A name that is too long for its column has a line of its own.
  static func rows(_ rows: [(name: String, sentence: String)], width: Int) -> [String] {
    let longest = rows.map(\.name.count).max() ?? 0
    let column = min(longest, max(12, (width - 4) * 2 / 5))
    return rows.flatMap { row in
      let lines = wrap(row.sentence, width: max(16, width - column - 6))
      let isTooLong = row.name.count > column
      let names = isTooLong ? [row.name, ""] : [row.name]
      let texts = isTooLong ? [""] + lines : lines
      return (0..<max(names.count, texts.count)).map { index in
        let name = index < names.count ? names[index] : ""
        let text = index < texts.count ? texts[index] : ""
        return text.isEmpty ? name : pad(name, to: column) + "  " + text
      }
    }
  }

  /// Breaks a text between words so that no line is longer than the width; a longer word is broken too.
  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ").flatMap({ pieces(of: $0, width) }) {
      if line.isEmpty {
        line = String(word)
      } else if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// Breaks a line where it is too long; what follows is indented by two more than the line.
  static func fit(_ line: String, width: Int?) -> [String] {
    guard let width, line.count > width else { return [line] }
    let indent = line.prefix { $0 == " " }
    let start = indent + "  "
    let lines = wrap(String(line.dropFirst(indent.count)), width: max(1, width - start.count))
    return lines.enumerated().map { $0 == 0 ? indent + $1 : start + $1 }
  }

  /// Breaks a command line so that a shell still reads it as one, with a backslash at each break.
  ///
  /// It is broken between words, within double quotes too. A word that is too long is broken at any
  /// letter, and goes on in the first column.
  static func command(_ line: String, indent: Int, width: Int) -> [String] {
    let (first, next) = (
      String(repeating: " ", count: indent), String(repeating: " ", count: indent + 2)
    )
    var lines = [first]
    for word in shellWords(line) {
      let isStart = lines[lines.count - 1].allSatisfy { $0 == " " }
      let joined = lines[lines.count - 1] + (isStart ? "" : " ") + word
      // Room for a blank and a backslash, which any line but the last ends with.
      if joined.count + 2 <= width {
        lines[lines.count - 1] = joined
        continue
      }
      if !isStart {
        lines[lines.count - 1] += " \\"
        lines.append(next)
      }
      var rest = lines.removeLast() + word
      while rest.count + 2 > width {
        // Something must be left to stand before the next word.
        let count = min(width, rest.count) - 1
        lines.append(rest.prefix(count) + "\\")
        rest = String(rest.dropFirst(count))
      }
      lines.append(rest)
    }
    return lines
  }

  /// The words of a command line as they are written; text in single quotes stays in one piece.
  private static func shellWords(_ line: String) -> [String] {
    var words = [""]
    var isQuoted = false
    for letter in line {
      if letter == "'" { isQuoted.toggle() }
      if letter == " ", !isQuoted {
        words.append("")
      } else {
        words[words.count - 1].append(letter)
      }
    }
    return words.filter { !$0.isEmpty }
  }

  private static func pieces(of word: Substring, _ width: Int) -> [Substring] {
    guard word.count > width, width > 0 else { return [word] }
    return [word.prefix(width)] + pieces(of: word.dropFirst(width), width)
  }

  /// The text with blanks after it up to a width.
  static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
