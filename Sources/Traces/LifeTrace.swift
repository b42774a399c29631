internal import HistoryTypes

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Reads the trace that one thread of a real process wrote during one life, line by line.
///
/// The file may be of any length. A killed process may have left an incomplete last line, which is
/// ignored.
package final class LifeTrace {
  private let path: String
  private let names: Vocabulary
  private var file: UnsafeMutablePointer<FILE>?
  private var buffer: UnsafeMutablePointer<CChar>?
  private var capacity = 0
  private var line = 0

  /// Opens a file; the header declares the names that may occur in it.
  ///
  /// - Throws: ``FormatError`` if the file cannot be opened.
  package init(_ path: String, _ header: PlanHeader) throws(FormatError) {
    self.path = path
    names = Vocabulary(header)
    file = fopen(path, "r")
    guard file != nil else {
      throw FormatError(
        line: nil,
        problem: "\(path) cannot be opened: \(String(cString: strerror(errno)))",
        advice: "It is the trace of a process; run it again."
      )
    }
  }

  deinit {
    if let file { fclose(file) }
    free(buffer)
  }

  /// Returns whether the trace file exists: a process killed early may not have created it.
  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the next event, or `nil` at the end.
  ///
  /// - Throws: ``FormatError`` with the line.
  package func next() throws(FormatError) -> TimedEvent? {
    guard let file else { return nil }
    let count = getline(&buffer, &capacity, file)
    guard count > 0, let buffer, buffer[count - 1] == 0x0a else { return nil }
    line += 1
    let bytes = UnsafeRawBufferPointer(start: buffer, count: count - 1)
    return try Self.event(bytes, line, names)
  }

  /// Returns the events within the last bytes of a file, in order.
  ///
  /// The partial line at the beginning of these bytes is skipped. The default is 64 KiB.
  ///
  /// - Throws: ``FormatError`` as ``next()``.
  package static func tail(
    of path: String,
    _ header: PlanHeader,
    byteCountMax: Int = 65_536
  ) throws(FormatError) -> [TimedEvent] {
    let trace = try LifeTrace(path, header)
    trace.skip(toLast: byteCountMax)
    var events: [TimedEvent] = []
    while let event = try trace.next() { events.append(event) }
    return events
  }

  private func skip(toLast byteCount: Int) {
    guard let file, fseek(file, 0, SEEK_END) == 0 else { return }
    let size = ftell(file)
    rewind(file)
    guard size > byteCount, fseek(file, size - byteCount, SEEK_SET) == 0 else { return }
    _ = getline(&buffer, &capacity, file)
  }

  private static func event(
    _ bytes: UnsafeRawBufferPointer,
    _ line: Int,
    _ names: Vocabulary
  ) throws(FormatError) -> TimedEvent {
    let place = Place(line: line)
    let fields = try Fields(JSONText.parse(bytes, at: place), as: "an event", at: place)
    return try TraceCodec.timedEvent(fields, names)
  }
}
