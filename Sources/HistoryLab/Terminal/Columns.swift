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

  /// Breaks a text between words so that no line is longer than the width, unless one word is.
  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
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

  /// The text with blanks after it up to a width.
  static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
