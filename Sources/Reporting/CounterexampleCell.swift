/// Measures and wraps text by the terminal columns that it occupies.
enum CounterexampleCell {
  /// The maximum number of lines in a cell.
  static let lineCountMax = 6

  /// Returns the number of terminal columns of a text; wide characters and emoji occupy two.
  static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  private static func width(_ letter: Character) -> Int {
    guard let scalar = letter.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f000...0x1faff, 0x2_0000...0x3_fffd:
      return 2
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// Returns the text padded with spaces on the right.
  static func pad(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// Returns the text truncated to a number of columns, with an ellipsis if it is too long.
  static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    return prefix(of: text, columns - 1) + "…"
  }

  /// Returns the text in lines of at most a number of columns, at most six.
  ///
  /// Lines break at spaces where possible. No-break spaces become spaces.
  static func wrap(_ text: String, to columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ").flatMap({ pieces(of: String($0), columns) }) {
      if line.isEmpty {
        line = word
      } else if width(line) + 1 + width(word) <= columns {
        line += " " + word
      } else {
        lines.append(line)
        line = word
      }
    }
    if !line.isEmpty { lines.append(line) }
    return shorten(lines, columns).map { $0.replacing("\u{a0}", with: " ") }
  }

  /// Returns at most six lines: the first ones and the last one, which contains the outcome.
  private static func shorten(_ lines: [String], _ columns: Int) -> [String] {
    guard lines.count > lineCountMax, let last = lines.last else { return lines }
    let kept = lines.prefix(lineCountMax - 1)
    let cut = kept.last.map { self.cut($0 + " …", to: columns) } ?? "…"
    return kept.dropLast() + [cut, last]
  }

  private static func prefix(of text: String, _ columns: Int) -> String {
    var taken = 0
    return String(
      text.prefix { letter in
        taken += width(letter)
        return taken <= columns
      }
    )
  }

  /// Returns a word in pieces that fit in a line.
  private static func pieces(of word: String, _ columns: Int) -> [String] {
    var pieces: [String] = []
    var rest = Substring(word)
    while width(rest) > columns {
      let piece = prefix(of: String(rest), columns)
      guard !piece.isEmpty else { break }
      pieces.append(piece)
      rest = rest.dropFirst(piece.count)
    }
    return pieces + [String(rest)]
  }
}
