extension ChoiceSequence: LosslessStringConvertible {
  /// A line of text to replay the sequence from: `1:` and the offsets.
  ///
  /// `12x0` stands for twelve zeroes. Ranges and spans are omitted: the property that replays the
  /// line creates them again.
  public var description: String {
    var parts: [String] = []
    var index = 0
    while index < count {
      let offset = choices[index].offset
      let end = choices[index...].firstIndex { $0.offset != offset } ?? count
      parts.append(end - index == 1 ? "\(offset)" : "\(end - index)x\(offset)")
      index = end
    }
    return "1:" + parts.joined(separator: ",")
  }

  /// Parses the text form; returns `nil` for invalid text, or for more than a million choices.
  public init?(_ description: String) {
    guard description.hasPrefix("1:") else { return nil }
    var choices: [Choice] = []
    for part in description.dropFirst(2).split(separator: ",", omittingEmptySubsequences: false) {
      if part.isEmpty && description.utf8.count == 2 { break }
      guard let (times, offset) = Self.run(part), choices.count + times <= 1_000_000 else {
        return nil
      }
      let choice = Choice(offset, in: .min ... .max, simplest: 0)
      choices.append(contentsOf: repeatElement(choice, count: times))
    }
    self.init(choices: choices)
  }

  /// Parses `offset` or `TIMESxOFFSET`.
  private static func run(_ part: Substring) -> (times: Int, offset: Int64)? {
    let pieces = part.split(separator: "x", omittingEmptySubsequences: false)
    guard let last = pieces.last, let offset = Int64(last), pieces.count <= 2 else { return nil }
    guard pieces.count == 2 else { return (1, offset) }
    guard let times = Int(pieces[0]), times > 1, times <= 1_000_000 else { return nil }
    return (times, offset)
  }
}
