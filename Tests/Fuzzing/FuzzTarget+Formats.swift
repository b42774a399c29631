import HistoryTypes
import Traces

/// The files and messages of the lab: each input is refused with a message, or parsed and written
/// again as the same text.
extension FuzzTarget {
  static let plan = FuzzTarget(
    "plan",
    "Plan files: what is read is written and read again as the same plan."
  ) { bytes in
    try twice(bytes, PlanCodec.decode, PlanCodec.encode)
  }

  static let trace = FuzzTarget(
    "trace",
    "Trace files: what is read is written and read again as the same trace."
  ) { bytes in
    try twice(bytes, TraceCodec.decode, TraceCodec.encode)
  }

  static let counterexample = FuzzTarget(
    "counterexample",
    "Counterexample files: what is read is written and read again as the same counterexample."
  ) { bytes in
    try twice(bytes, CounterexampleCodec.decode, CounterexampleCodec.encode)
  }

  static let setup = FuzzTarget(
    "setup",
    "Configuration files of check: refused with a sentence, or read."
  ) { bytes in
    _ = try refusable { () throws(FormatError) in try SetupCodec.decode(text(bytes)) }
  }

  /// Parses a text, writes it, and parses that again: the second text must equal the first.
  private static func twice<Read>(
    _ bytes: [UInt8],
    _ decode: (String) throws(FormatError) -> Read,
    _ encode: (Read) -> String
  ) throws {
    guard let first = try refusable({ () throws(FormatError) in try decode(text(bytes)) }) else {
      return
    }
    let written = encode(first)
    do {
      let again = encode(try decode(written))
      try expect(again == written, "written as\n\(written)and then as\n\(again)")
    } catch let error as FormatError {
      throw FuzzFinding("what was written is refused: \(error)\n\(written)")
    }
  }

  /// Returns the parsed value, or `nil` if it is refused with a proper message.
  static func refusable<Read>(
    _ read: () throws(FormatError) -> Read
  ) throws -> Read? {
    do throws(FormatError) {
      return try read()
    } catch {
      try expect(!error.problem.isEmpty, "refused without a reason")
      try expect(!error.advice.isEmpty, "refused without advice: \(error.problem)")
      return nil
    }
  }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
