#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A growing buffer of plain elements, filled by a fetch and then read by its page without copying.
///
/// Only the builder of a page appends. The buffer of a finished page is immutable, and safe to read
/// from any thread.
@usableFromInline
package final class PageBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  // Only one thread fills a buffer, and no access overlaps another. Dynamic exclusivity checks took
  // half the time of a fetch.
  @exclusivity(unchecked)
  @usableFromInline
  var base: UnsafeMutablePointer<Element>?
  @exclusivity(unchecked)
  @usableFromInline
  var capacity = 0
  @exclusivity(unchecked)
  @usableFromInline
  var length = 0

  package init() {}

  deinit { free(base) }

  /// Reserves capacity for more elements after the last, and returns a pointer to it.
  ///
  /// - Complexity: amortized constant.
  @inlinable
  @inline(__always)
  package func reserve(_ more: Int) -> UnsafeMutablePointer<Element> {
    if let base, length + more <= capacity { return base + length }
    return grow(to: Swift.max(length + more, 2 * capacity, 64))
  }

  /// Grows with `realloc`: the kernel remaps large blocks instead of copying, unlike for an array.
  @usableFromInline
  func grow(to wanted: Int) -> UnsafeMutablePointer<Element> {
    let byteCount = wanted * MemoryLayout<Element>.stride
    guard let larger = realloc(base, byteCount) else {
      fatalError("There is no memory for the \(byteCount) bytes of a page of history.")
    }
    let bound = larger.bindMemory(to: Element.self, capacity: wanted)
    base = bound
    capacity = wanted
    return bound + length
  }

  /// Adds elements to the count that were written into the reserved capacity.
  @inlinable
  @inline(__always)
  package func advance(by more: Int) { length += more }

  @inlinable
  @inline(__always)
  package func append(_ element: Element) {
    reserve(1).initialize(to: element)
    length += 1
  }

  /// Removes all elements from a position on, and keeps the capacity.
  @inlinable
  @inline(__always)
  package func truncate(to position: Int) { length = Swift.min(length, position) }

  /// Keeps the elements from a position on that satisfy a condition, in their order.
  @inlinable
  package func keep(from position: Int, where isKept: (Int, Element) -> Bool) {
    guard let base else { return }
    var kept = position
    for index in position..<length where isKept(index - position, base[index]) {
      base[kept] = base[index]
      kept += 1
    }
    length = kept
  }
}

extension PageBuffer: RandomAccessCollection {
  @inlinable
  @inline(__always)
  package var startIndex: Int { 0 }
  @inlinable
  @inline(__always)
  package var endIndex: Int { length }
  /// The number of elements; overrides the default implementation, which measures a distance.
  @inlinable
  @inline(__always)
  package var count: Int { length }

  @inlinable
  @inline(__always)
  package subscript(position: Int) -> Element {
    guard let base, position >= 0, position < length else { outOfRange(position) }
    return base[position]
  }

  @usableFromInline
  func outOfRange(_ position: Int) -> Never {
    fatalError("Position \(position) is outside of a page buffer of \(length) elements.")
  }
}

extension PageBuffer<UInt8> {
  /// Calls a closure with a range of the bytes.
  package func withBytes<Result>(
    at position: Int,
    count: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    guard position >= 0, count >= 0, position + count <= length else {
      outOfRange(position + count)
    }
    return try body(UnsafeRawBufferPointer(start: base.map { $0 + position }, count: count))
  }
}
