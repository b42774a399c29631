/// A connection to a program under test that exchanges one line for one line.
package protocol WireChannel: AnyObject {
  /// Sends a line, given without its newline, and waits for the next line.
  ///
  /// - Throws: ``WireTrouble`` when no readable line comes; the channel is unusable after that.
  func exchange(_ line: String) throws(WireTrouble) -> String

  /// Waits for a line without sending a message; `nil` if none comes in time.
  ///
  /// - Throws: ``WireTrouble`` when the program has ended or its line cannot be read.
  func receive(within time: Duration) throws(WireTrouble) -> String?

  /// Lets the program end, and kills it if it does not.
  func close()

  /// The last output on standard error; empty if there was none.
  var lastErrors: String { get }
}

/// The reason for a missing answer, as a clause: "it was silent for 10 seconds".
package struct WireTrouble: Error, Hashable, Sendable {
  package var clause: String

  package init(_ clause: String) { self.clause = clause }
}

/// The reason why a plan has no verdict: the system under test did not complete it.
package struct SystemTrouble: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, as a clause with the system as "it".
  package var clause: String
  /// The message that was not answered, if one was sent.
  package var asked: String?
  /// The last line that was read, if any.
  package var said: String?
  /// The last output on standard error, if any.
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

  /// The maximum number of characters of a line in the description.
  private static let excerptMax = 300

  /// The problem, the message before it, and the last output.
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
