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
