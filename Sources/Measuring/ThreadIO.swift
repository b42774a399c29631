#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A counter of one thread's reading and writing system calls, as counted by Linux.
///
/// See https://man7.org/linux/man-pages/man5/proc_pid_io.5.html. Reading the counts is itself a
/// read; its known cost is subtracted. Calls that move no bytes (locks, syncs) and memory-mapped
/// pages are not counted.
package final class ThreadIO {
  private static let path = "/proc/thread-self/io"
  private let file: Int32
  private let text: UnsafeMutableBufferPointer<UInt8>
  private var ownCalls: Int64 = 0
  private var ownBytes: Int64 = 0

  /// Opens the counts of the calling thread, or returns `nil` if the system keeps none.
  package init?() {
    file = open(Self.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    text = .allocate(capacity: 512)
    text.initialize(repeating: 0)
  }

  deinit {
    close(file)
    text.deallocate()
  }

  /// The counts as a source for a meter.
  package var source: WorkMeter.Source {
    WorkMeter.Source([.systemCalls, .bytesRead, .bytesWritten]) { [self] in read(into: $0) }
  }

  private func read(into counts: UnsafeMutableBufferPointer<Int64>) {
    let length = pread(file, text.baseAddress, text.count, 0)
    guard length > 0 else { fatalError("\(Self.path) cannot be read again: errno \(errno)") }
    let lines = text.prefix(length)
    // rchar, wchar, syscr, syscw: the first four lines, each a name and a number.
    let (read, afterRead) = Self.number(in: lines, from: lines.startIndex)
    let (written, afterWritten) = Self.number(in: lines, from: afterRead)
    let (reads, afterReads) = Self.number(in: lines, from: afterWritten)
    let (writes, _) = Self.number(in: lines, from: afterReads)
    counts[0] = reads + writes - ownCalls
    counts[1] = read - ownBytes
    counts[2] = written
    ownCalls += 1
    ownBytes += Int64(length)
  }

  /// Returns the next number, and the index behind it.
  private static func number(
    in text: Slice<UnsafeMutableBufferPointer<UInt8>>,
    from start: Int
  ) -> (Int64, Int) {
    var place = start
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    while place < text.endIndex, !digits.contains(text[place]) { place += 1 }
    var number: Int64 = 0
    while place < text.endIndex, digits.contains(text[place]) {
      number = number * 10 + Int64(text[place] - digits.lowerBound)
      place += 1
    }
    return (number, place)
  }
}
