/// A way to a program under test: a line goes there, and a line comes back.
package protocol WireChannel: AnyObject {
  /// Sends a line, given without its newline, and waits for the next line that comes back.
  ///
  /// - Throws: ``WireTrouble`` when none comes that can be read; the channel is of no use after that.
  func exchange(_ line: String) throws(WireTrouble) -> String

  /// Waits for a line that comes without another message; `nil` if none comes within a time.
  ///
  /// - Throws: ``WireTrouble`` when the program has ended or its line cannot be read.
  func receive(within time: Duration) throws(WireTrouble) -> String?

  /// Lets the program end, and makes it end if it does not.
  func close()

  /// The last that came on standard error, empty if nothing did.
  var lastErrors: String { get }
}

/// Why no answer came, as a clause: "it was silent for 10 seconds".
package struct WireTrouble: Error, Hashable, Sendable {
  package var clause: String

  package init(_ clause: String) { self.clause = clause }
}

/// Why nothing can be said about a plan: the system under test did not take part in it to the end.
package struct SystemTrouble: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, as a clause with the system as "it".
  package var clause: String
  /// The message that it was to answer, if one was sent.
  package var asked: String?
  /// The last line that could be read, if any came.
  package var said: String?
  /// The last that came on standard error, if anything did.
  package var errors: String?

  package init(
    clause: String,
    asked: String? = nil,
    said: String? = nil,
    errors: String? = nil
  ) {
    self.clause = clause
    self.asked = asked
    self.said = said
    self.errors = errors
  }

  /// The longest line that a sentence shows.
  private static let excerptMax = 300

  /// What happened, after which message, and what was said last.
  package var description: String {
    var sentences = [clause + (asked.map { ", after \(Self.excerpt($0))" } ?? "") + "."]
    sentences.append(
      said.map { "The last that it said: \(Self.excerpt($0))" } ?? "It had said nothing."
    )
    if let errors { sentences.append("On standard error: \(Self.excerpt(errors, fromEnd: true))") }
    return sentences.joined(separator: " ")
  }

  private static func excerpt(_ text: String, fromEnd: Bool = false) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " | ")
      .unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }.joined()
    guard line.count > excerptMax else { return line }
    return fromEnd ? "..." + line.suffix(excerptMax - 3) : line.prefix(excerptMax - 3) + "..."
  }
}
