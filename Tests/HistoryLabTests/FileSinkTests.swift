import Testing

@testable import HistoryLab

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct `File sink` {
  @Test func `A reader that went away is no failure`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      Interruption.install()
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { exit(1) }
      close(ends[0])
      let sink = FileSink(ends[1])
      exit(sink.write("to nobody") == nil ? 7 : 2)
    }
  }

  @Test func `Text reaches its file whole`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(FileSink(ends[1]).write("häppy\n") == nil)
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(ends[0], &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == "häppy\n")
  }

  @Test func `A file that cannot be written is named once`() {
    let sink = FileSink(-1)
    #expect(sink.write("a") == "Bad file descriptor")
    #expect(sink.write("b") == nil)
  }
}
