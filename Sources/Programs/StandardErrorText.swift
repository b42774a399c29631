import Synchronization

/// The standard error output of a program over all its launches, up to a limit.
package final class StandardErrorText: Sendable {
  /// The limit in bytes; the beginning is kept, because the first error is usually the cause.
  private static let byteCountMax = 1 << 20
  /// The number of bytes at the end that are kept for error messages.
  private static let tailByteCount = 1 << 10

  private struct State {
    var kept: [UInt8] = []
    var tail: [UInt8] = []
    var leftOut = 0
  }
  private let state = Mutex(State())

  package init() {}

  /// Adds bytes.
  func append(_ bytes: some Collection<UInt8>) {
    state.withLock { state in
      let room = Self.byteCountMax - state.kept.count
      state.kept += bytes.prefix(room)
      state.leftOut += bytes.count - min(bytes.count, room)
      state.tail = (state.tail + bytes).suffix(Self.tailByteCount)
    }
  }

  /// Clears the tail, because a new launch begins.
  func beginLaunch() { state.withLock { $0.tail = [] } }

  /// The end of this launch's output; bytes that are not UTF-8 are shown as U+FFFD.
  package var tail: String { state.withLock { String(decoding: $0.tail, as: UTF8.self) } }

  /// All kept output, with a line that states how many bytes were dropped.
  package var text: String {
    state.withLock { state in
      let text = String(decoding: state.kept, as: UTF8.self)
      return state.leftOut > 0 ? text + "\n[\(state.leftOut) more bytes]\n" : text
    }
  }
}
