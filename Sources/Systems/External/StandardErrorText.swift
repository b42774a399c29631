import Synchronization

/// What a program wrote to standard error, from all its launches, up to a limit.
package final class StandardErrorText: Sendable {
  /// The beginning says what went wrong first; what comes after so many bytes is left out.
  private static let byteCountMax = 1 << 20
  /// How much of the end is kept for a sentence.
  private static let tailByteCount = 1 << 10

  private struct State {
    var kept: [UInt8] = []
    var tail: [UInt8] = []
    var leftOut = 0
  }
  private let state = Mutex(State())

  package init() {}

  /// Adds some bytes.
  func append(_ bytes: some Collection<UInt8>) {
    state.withLock { state in
      let room = Self.byteCountMax - state.kept.count
      state.kept += bytes.prefix(room)
      state.leftOut += bytes.count - min(bytes.count, room)
      state.tail = (state.tail + bytes).suffix(Self.tailByteCount)
    }
  }

  /// Forgets the end: what comes now is of another launch.
  func beginLaunch() { state.withLock { $0.tail = [] } }

  /// The last that was written in this launch; what is not UTF-8 is shown as U+FFFD.
  package var tail: String { state.withLock { String(decoding: $0.tail, as: UTF8.self) } }

  /// Everything that was kept, with a line that says how much was left out.
  package var text: String {
    state.withLock { state in
      let text = String(decoding: state.kept, as: UTF8.self)
      return state.leftOut > 0 ? text + "\n[\(state.leftOut) more bytes]\n" : text
    }
  }
}
