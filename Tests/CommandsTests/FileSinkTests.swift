import TestSupport
import Testing

@testable import Commands

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct `File sink` {
  @Test func `A closed pipe does not count as a failure`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      Interruption.install()
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { exit(1) }
      close(ends[0])
      let sink = FileSink(ends[1])
      exit(sink.write("to nobody") == nil ? 7 : 2)
    }
  }

  @Test(.blocksItsThread) func `Text is written completely, even through partial writes`()
    async throws
  {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (source, target) = (ends[0], ends[1])
    _ = fcntl(target, F_SETFL, O_NONBLOCK)
    // More than a pipe holds, so that the writer has to wait for the reader.
    let text = (0..<50_000).map { "häppy \($0)\n" }.joined()
    async let arrived = readToEnd(source)
    #expect(FileSink(target).write(text) == nil)
    close(target)
    #expect(await arrived == text)
    close(source)
  }

  @Test func `An unwritable file is named once`() {
    let sink = FileSink(-1)
    #expect(sink.write("a") == "Bad file descriptor")
    #expect(sink.write("b") == nil)
  }
}

/// Reads text until the last writer has closed its end.
@concurrent
private func readToEnd(_ descriptor: Int32) async -> String {
  var text: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 4096)
  while case let count = read(descriptor, &piece, piece.count), count > 0 {
    text += piece.prefix(count)
  }
  return String(decoding: text, as: UTF8.self)
}
