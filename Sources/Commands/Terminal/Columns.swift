/// A layout of text in columns of characters.
package enum Columns {
  /// Returns the lines of a table with two columns: names, and sentences that are wrapped to fit.
  ///
  /// A line with a sentence has at most `width` - 4 characters, so that the caller can indent it.
  /// If `width` is too small, sentences still get 16 characters. A name that is too long for its
  /// column gets a line of its own.
  package static func rows(_ rows: [(name: String, sentence: String)], width: Int) -> [String] {
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

  /// Wraps a text between words so that no line exceeds the width; longer words are split.
  package static func wrap(_ text: String, width: Int) -> [String] {
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

  /// Wraps a line that is wider than `width`; continuation lines are indented two blanks deeper.
  package static func fit(_ line: String, width: Int?) -> [String] {
    guard let width, line.count > width else { return [line] }
    let indent = line.prefix { $0 == " " }
    let start = indent + "  "
    let lines = wrap(String(line.dropFirst(indent.count)), width: max(1, width - start.count))
    return lines.enumerated().map { $0 == 0 ? indent + $1 : start + $1 }
  }

  /// Wraps a command line for copying into a shell, with a backslash at the end of each broken line.
  ///
  /// Breaks are between words, including words within double quotes. A word that is too long is broken at
  /// any character, and continues at the start of the next line.
  package static func command(_ line: String, indent: Int, width: Int) -> [String] {
    let (first, next) = (
      String(repeating: " ", count: indent), String(repeating: " ", count: indent + 2)
    )
    var lines = [first]
    for word in shellWords(line) {
      let isStart = lines[lines.count - 1].allSatisfy { $0 == " " }
      let joined = lines[lines.count - 1] + (isStart ? "" : " ") + word
      // Every line but the last needs two more characters: a blank and a backslash.
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
        // One character must remain, because the next word continues on that line.
        let count = min(width, rest.count) - 1
        lines.append(rest.prefix(count) + "\\")
        rest = String(rest.dropFirst(count))
      }
      lines.append(rest)
    }
    return lines
  }

  /// Returns the words of a command line as written; text in single quotes is one word.
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

  /// Returns the text padded with blanks up to a width.
  package static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
