/// A string for the process and the context that wrote a transaction.
///
/// Storage layouts without a column for the writer use it. A process name that itself ends like a
/// label gets a label with writer 0, so that every string has exactly one meaning.
package struct ProcessLabel: Hashable, Sendable {
  /// The name of the process, or `nil`.
  package let name: String?
  /// The number of the writer; 0 for none.
  package let writer: Int64

  private static let word = "writer="
  private static let digitCount = 16

  package init(name: String?, writer: Int64) {
    self.name = name
    self.writer = writer
  }

  /// Parses a label; a string that is not a label is the name of a process.
  package init(_ text: String) {
    self = Self.label(in: text) ?? ProcessLabel(name: text, writer: 0)
  }

  /// Parses a string that ends with a writer; returns `nil` for any other.
  ///
  /// It compares bytes: comparing characters took most of the time to read a string.
  private static func label(in text: String) -> ProcessLabel? {
    let bytes = text.utf8
    let nameCount = bytes.count - word.utf8.count - digitCount
    guard nameCount >= 0 else { return nil }
    let start = bytes.index(bytes.startIndex, offsetBy: nameCount)
    guard bytes[start...].starts(with: word.utf8) else { return nil }
    let digits = text[bytes.index(start, offsetBy: word.utf8.count)...]
    guard let writer = UInt64(digits, radix: 16), digits.utf8.first != UInt8(ascii: "+") else {
      return nil
    }
    let number = Int64(bitPattern: writer)
    guard nameCount > 0 else { return ProcessLabel(name: nil, writer: number) }
    let space = bytes.index(before: start)
    guard bytes[space] == UInt8(ascii: " ") else { return nil }
    return ProcessLabel(name: String(text[..<space]), writer: number)
  }

  /// The text form, or `nil` if there is neither a name nor a writer.
  package var text: String? {
    if writer == 0, name.map({ ProcessLabel($0) == self }) ?? true { return name }
    let digits = String(UInt64(bitPattern: writer), radix: 16)
    let padding = String(repeating: "0", count: Self.digitCount - digits.count)
    return (name.map { $0 + " " } ?? "") + Self.word + padding + digits
  }
}
