import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A meter that counts what measured work does, such as system calls, while a stopwatch times the work.
///
/// The meter reads counts into preallocated memory, so that all counts are zero if no work is done
/// between begin and end.
package final class WorkMeter {
  /// A group of counters that are read together, such as those of system calls.
  package struct Source {
    /// The metrics, in the order of reading.
    package let metrics: [Metric]
    /// Reads all counts into memory that has room for them, without allocating.
    let read: (UnsafeMutableBufferPointer<Int64>) -> Void

    package init(
      _ metrics: [Metric],
      read: @escaping (UnsafeMutableBufferPointer<Int64>) -> Void
    ) {
      self.metrics = metrics
      self.read = read
    }
  }

  private let sources: [Source]
  private let before: UnsafeMutableBufferPointer<Int64>
  private let after: UnsafeMutableBufferPointer<Int64>
  private let sums: UnsafeMutableBufferPointer<Int64>

  /// Creates a meter whose sums are zero.
  ///
  /// The last source is read last before the work, and first after the work. So pass last the
  /// source whose counts change most when other sources are read.
  package init(_ sources: [Source]) {
    self.sources = sources
    let count = sources.reduce(0) { $0 + $1.metrics.count }
    before = .allocate(capacity: count)
    after = .allocate(capacity: count)
    sums = .allocate(capacity: count)
    for numbers in [before, after, sums] { numbers.initialize(repeating: 0) }
  }

  deinit {
    for numbers in [before, after, sums] { numbers.deallocate() }
  }

  /// The metrics of all sources, in the order of reading.
  package var metrics: [Metric] { sources.flatMap(\.metrics) }

  /// Starts counting.
  func begin() {
    var first = 0
    for source in sources {
      source.read(.init(rebasing: before[first..<first + source.metrics.count]))
      first += source.metrics.count
    }
  }

  /// Ends counting, and adds the counts since `begin()` to the sums.
  func end() {
    var last = after.count
    for source in sources.reversed() {
      let first = last - source.metrics.count
      source.read(.init(rebasing: after[first..<last]))
      last = first
    }
    for index in sums.indices { sums[index] += after[index] - before[index] }
  }

  /// Returns the sums since the last call, in the order of the metrics, and resets them to zero.
  package func take() -> [Int64] {
    defer { sums.update(repeating: 0) }
    return Array(sums)
  }
}

/// The allocation counts of jemalloc, if the process was started with it.
///
/// The counter has the allocations of all threads, the bytes allocated by this thread, and the live
/// bytes (https://jemalloc.net/jemalloc.3.html). The functions are looked up at run time, so that
/// one program runs with and without jemalloc. The counts are exact only with `tcache:false`. Never
/// measure times in that mode, because it doubles the cost of an allocation.
package final class AllocationCounter {
  /// The jemalloc configuration under which the counts are exact.
  package static let configuration = "tcache:false"

  private typealias Control =
    @convention(c) (
      UnsafePointer<Int>?, Int, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?,
      UnsafeMutableRawPointer?, Int
    ) -> Int32
  private typealias Lookup =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int>?
    ) -> Int32

  /// The numeric key with which jemalloc finds a count, such as `stats.allocated`.
  ///
  /// The name of a count is resolved to its key only once, because this allocates memory.
  private struct Place {
    let parts: UnsafeMutablePointer<Int>
    let count: Int
  }

  private let control: Control
  private let epoch: Place
  private let small: Place
  private let large: Place
  private let own: Place
  private let live: Place

  /// Looks up jemalloc's counts; `nil` without jemalloc, or if jemalloc was built without statistics.
  package init?() {
    guard let control: Control = Self.function("mallctlbymib"),
      let lookup: Lookup = Self.function("mallctlnametomib")
    else { return nil }
    // 4096 stands for all arenas together (MALLCTL_ARENAS_ALL).
    let names = [
      "epoch", "stats.arenas.4096.small.nrequests", "stats.arenas.4096.large.nrequests",
      "thread.allocated", "stats.allocated",
    ]
    let places = names.compactMap { Self.place($0, lookup) }
    guard places.count == names.count else { return nil }
    self.control = control
    (epoch, small, large, own, live) = (places[0], places[1], places[2], places[3], places[4])
  }

  deinit {
    for place in [epoch, small, large, own, live] { place.parts.deallocate() }
  }

  /// The allocation counts, as a source for a meter.
  package var source: WorkMeter.Source {
    WorkMeter.Source(Metric.allocator) { [self] in read(into: $0) }
  }

  private func read(into counts: UnsafeMutableBufferPointer<Int64>) {
    var next: UInt64 = 1
    var size = 0
    // A new epoch refreshes the statistics of all threads.
    let code = control(
      epoch.parts,
      epoch.count,
      nil,
      &size,
      &next,
      MemoryLayout<UInt64>.size
    )
    guard code == 0 else {
      fatalError("jemalloc refused to refresh its counters (mallctl returned \(code))")
    }
    counts[0] = value(small) + value(large)
    counts[1] = value(own)
    counts[2] = value(live)
  }

  private func value(_ place: Place) -> Int64 {
    var value: UInt64 = 0
    var size = MemoryLayout<UInt64>.size
    let code = control(place.parts, place.count, &value, &size, nil, 0)
    guard code == 0 else {
      fatalError("jemalloc refused to read a counter (mallctl returned \(code))")
    }
    return Int64(value)
  }

  private static func place(_ name: String, _ lookup: Lookup) -> Place? {
    var count = 8
    let parts = UnsafeMutablePointer<Int>.allocate(capacity: count)
    guard lookup(name, parts, &count) == 0 else {
      parts.deallocate()
      return nil
    }
    return Place(parts: parts, count: count)
  }

  private static func function<Function>(_ name: String) -> Function? {
    // A null handle searches all loaded objects, in the order of loading (RTLD_DEFAULT on Linux).
    #if canImport(Darwin)
    let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
    let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    return dlsym(everywhere, name).map { unsafeBitCast($0, to: Function.self) }
  }
}

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

  /// Opens the file with Linux's counts of the calling thread's system calls that read or write.
  ///
  /// Returns `nil` if the file cannot be opened; only Linux has it.
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

  /// The counts of system calls and bytes, as a source for a meter.
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

  /// Returns the next decimal number in a text, and the index after that number.
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

/// The resident memory of the process, observed from one point in time on.
///
/// Linux counts the peak exactly (`VmHWM`) and can reset it
/// (https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html). The memory is not measured
/// on other systems.
package struct ResidentMemory: Sendable {
  /// The resident memory at the start of the observation, in bytes.
  package let startBytes: Int64

  /// Starts to observe resident memory; returns `nil` on systems other than Linux.
  package init?() {
    guard Self.resetPeak(), let bytes = Self.status("VmRSS:") else { return nil }
    startBytes = bytes
  }

  /// The greatest resident memory since the start of the observation, in bytes.
  package var peakBytes: Int64? { Self.status("VmHWM:") }

  /// The growth from the start to the greatest resident memory, in bytes.
  package var growthBytes: Int64? { peakBytes.map { max(0, $0 - startBytes) } }

  private static func resetPeak() -> Bool {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
    do {
      try file.write(contentsOf: Data("5".utf8))
      try file.close()
      return true
    } catch {
      return false
    }
  }

  /// Returns a value of `/proc/self/status`, converted from KiB to bytes.
  private static func status(_ key: String) -> Int64? {
    guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      guard line.hasPrefix(key) else { continue }
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int64($0) }
        .map { $0 * 1024 }
    }
    return nil
  }
}
