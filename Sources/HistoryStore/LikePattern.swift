/// A pattern of SQL's LIKE with backslash as the escape character, matched as SQLite does.
struct LikePattern {
  private enum Part: Equatable {
    case anything
    case one
    case scalar(UInt32)
  }

  private var parts: [Part] = []
  /// Whether the pattern ends in an escape character; it then matches nothing.
  private var isBroken = false

  init(_ pattern: String) {
    var scalars = Self.scalars(of: pattern).makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case 0x25: parts.append(.anything)
      case 0x5f: parts.append(.one)
      case 0x5c:
        guard let next = scalars.next() else {
          isBroken = true
          return
        }
        parts.append(.scalar(Self.folded(next)))
      default: parts.append(.scalar(Self.folded(scalar)))
      }
    }
  }

  /// SQLite reads the operands of LIKE up to the first NUL.
  private static func scalars(of text: String) -> [UInt32] {
    text.unicodeScalars.prefix { $0.value != 0 }.map(\.value)
  }

  private static func folded(_ scalar: UInt32) -> UInt32 {
    (0x41...0x5a).contains(scalar) ? scalar | 0x20 : scalar
  }

  /// Returns whether a text matches the pattern.
  ///
  /// - Complexity: at most the pattern's length times the text's.
  func matches(_ text: String) -> Bool {
    guard !isBroken else { return false }
    let text = Self.scalars(of: text)
    var (at, part) = (0, 0)
    // The state to resume when the rest does not match: the last `%` then consumes one more
    // character.
    var retry: (at: Int, part: Int)?
    while at < text.count {
      if part < parts.count, parts[part] == .anything {
        part += 1
        retry = (at, part)
      } else if part < parts.count,
        parts[part] == .one || parts[part] == .scalar(Self.folded(text[at]))
      {
        at += 1
        part += 1
      } else if let last = retry {
        retry = (last.at + 1, last.part)
        (at, part) = (last.at + 1, last.part)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .anything }
  }
}
