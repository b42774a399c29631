/// A process and the context in it that wrote a transaction, as one string: what layouts keep that have
/// no column for the writer.
///
/// A name that itself ends like a label gets a label with writer 0, so that every string has one
/// meaning.
package struct ProcessLabel: Hashable, Sendable {
  /// The name of the process, or nothing.
  package let name: String?
  /// The writer's number, 0 for none.
  package let writer: Int64

  private static let word = "writer="
  private static let digitCount = 16

  package init(name: String?, writer: Int64) {
    self.name = name
    self.writer = writer
  }

  /// Reads a label; a string that is none is the name of a process.
  package init(_ text: String) {
    let suffix = text.suffix(Self.word.count + Self.digitCount)
    guard suffix.hasPrefix(Self.word),
      let writer = UInt64(suffix.suffix(Self.digitCount), radix: 16),
      suffix.utf8.count == Self.word.count + Self.digitCount
    else {
      self.init(name: text, writer: 0)
      return
    }
    let name = text.dropLast(suffix.count)
    guard name.isEmpty || name.hasSuffix(" ") else {
      self.init(name: text, writer: 0)
      return
    }
    self.init(
      name: name.isEmpty ? nil : String(name.dropLast()),
      writer: Int64(bitPattern: writer)
    )
  }

  /// The label, or nothing where there is neither a name nor a writer.
  package var text: String? {
    if writer == 0, name.map({ ProcessLabel($0) == self }) ?? true { return name }
    let digits = String(UInt64(bitPattern: writer), radix: 16)
    let padding = String(repeating: "0", count: Self.digitCount - digits.count)
    return (name.map { $0 + " " } ?? "") + Self.word + padding + digits
  }
}
