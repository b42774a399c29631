import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes text, and returns the reason if it could not be written.
typealias TextSink = @Sendable (String) -> String?

/// Writes text to an open file until a write fails.
final class FileSink: Sendable {
  private let descriptor: Int32
  /// Whether a write has failed; later text is dropped, because it would follow a gap.
  private let isBroken = Mutex(false)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes the whole text without interleaving text of other threads.
  ///
  /// Returns `nil` for a reader that closed its end, as `head` does: that is not a failure.
  func write(_ text: String) -> String? {
    isBroken.withLock { isBroken in
      guard !isBroken else { return nil }
      let code = writeAll(text)
      isBroken = code != 0
      return code == 0 || code == EPIPE ? nil : String(cString: strerror(code))
    }
  }

  /// Returns 0 or the code of the first error.
  private func writeAll(_ text: String) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let written = systemWrite(descriptor, start, rest.count)
        if written >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        } else if errno == EAGAIN {
          waitUntilWritable()
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  private func waitUntilWritable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, 1000)
  }
}

/// Calls the system's `write`, which the method of the same name hides.
private func systemWrite(_ file: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, start, count)
}
