import Foundation
import HistoryTypes
import Synchronization
import Traces

/// The trace file of one thread of a stress process, or of the run itself.
///
/// Each line is passed to the kernel before the call returns, so that a kill does not lose it.
final class StressTrace: Sendable {
  private let actor: ActorID?
  private let descriptor: Int32
  private let count = Mutex(0)

  /// An event's kind, its interval, and the command if the event is a call.
  struct Entry {
    let kind: EventKind
    let mono: ClosedRange<Int64>
    var given: Command?

    init(_ kind: EventKind, _ mono: ClosedRange<Int64>, given: Command? = nil) {
      self.kind = kind
      self.mono = mono
      self.given = given
    }

    /// Creates an entry for an event at one point in time.
    init(_ kind: EventKind, at moment: Int64, given: Command? = nil) {
      self.init(kind, moment...moment, given: given)
    }
  }

  /// Opens a trace file for appending; `actor` is the default actor of its events.
  ///
  /// - Throws: ``StressError`` if the file cannot be opened.
  init(_ path: String, of actor: ActorID?) throws {
    self.actor = actor
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StressError(writing: path)
    }
  }

  deinit { close(descriptor) }

  /// Writes entries together; `other` is the actor of the events if it is not the trace's own actor.
  func add(_ entries: [Entry], about other: ActorID? = nil) {
    count.withLock { count in
      var text = ""
      for entry in entries {
        let event = Event(at: count, tick: 0, actor: other ?? actor, entry.kind)
        text += TraceCodec.encode(TimedEvent(event, mono: entry.mono, given: entry.given)) + "\n"
        count += 1
      }
      Self.write(Array(text.utf8), to: descriptor)
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
        let count = Foundation.write(descriptor, start, rest.count)
        // A process must not continue without its trace.
        guard count > 0 || errno == EINTR else {
          fatalError("a trace of the stress run cannot be written: error \(errno)")
        }
        rest = rest.dropFirst(max(count, 0))
      }
    }
  }
}

/// A file that contains the transaction number of the write in progress.
///
/// The file's 16 bytes are passed to the kernel before the transaction commits.
final class StressNumberFile: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StressError(writing: path)
    }
  }

  deinit { close(descriptor) }

  /// Notes the transaction number of a write; writes are counted from 1.
  func note(_ number: Int64, ofWrite write: Int64) {
    var words = (write.littleEndian, number.littleEndian)
    _ = pwrite(descriptor, &words, MemoryLayout.size(ofValue: words), 0)
  }

  /// Reads the number of a write, and the number of its transaction, from a file.
  ///
  /// Returns `nil` if the file is missing or incomplete.
  static func read(_ path: String) -> (write: Int64, number: Int64)? {
    guard let data = FileManager.default.contents(atPath: path), data.count == 16 else {
      return nil
    }
    let words = data.withUnsafeBytes { bytes in
      (
        bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
      )
    }
    return (Int64(littleEndian: words.0), Int64(littleEndian: words.1))
  }
}
