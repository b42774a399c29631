#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The allocation counts of jemalloc, if the process was started with it.
///
/// It counts the allocations of all threads, the bytes allocated by this thread, and the live bytes
/// (https://jemalloc.net/jemalloc.3.html). The functions are looked up at run time, so that one
/// program runs with and without jemalloc. The counts are exact only with `tcache:false`. Never
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

  /// The numeric key of a count; names are resolved once, because resolving one allocates.
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

  /// Resolves the counts, or returns `nil` without jemalloc or if it was built without statistics.
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

  /// The counts as a source for a meter.
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
    guard code == 0 else { fatalError("jemalloc gives no new epoch: code \(code)") }
    counts[0] = value(small) + value(large)
    counts[1] = value(own)
    counts[2] = value(live)
  }

  private func value(_ place: Place) -> Int64 {
    var value: UInt64 = 0
    var size = MemoryLayout<UInt64>.size
    let code = control(place.parts, place.count, &value, &size, nil, 0)
    guard code == 0 else { fatalError("jemalloc does not tell a count: code \(code)") }
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
