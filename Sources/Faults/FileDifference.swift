#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The bytes of one file that differ from an image, or from zero beyond the image's end.
///
/// A store after a few writes differs from a fresh one by a log of mostly empty pages, so the
/// difference takes about a twentieth of its size.
struct FileDifference: Sendable {
  /// The number of bytes that are kept or omitted together.
  private static let blockSize = 64
  /// The number of bytes that are compared first, before single blocks are.
  private static let pageSize = 4096
  private static let zeros = [UInt8](repeating: 0, count: pageSize)

  private struct Run {
    let offset: Int
    var count: Int
  }

  /// The size of the file in bytes.
  private(set) var count = 0
  private var runs: [Run] = []
  private var bytes: [UInt8] = []

  /// Appends the next part of the file.
  ///
  /// - Complexity: linear in the bytes, most of which are compared a page at a time.
  mutating func append(_ part: UnsafeRawBufferPointer, unlike image: FileImage?) {
    let start = count
    count += part.count
    (image?.bytes ?? []).withUnsafeBytes { base in
      Self.zeros.withUnsafeBytes { zeros in
        var offset = 0
        while offset < part.count {
          let size = min(Self.pageSize, part.count - offset)
          let page = UnsafeRawBufferPointer(rebasing: part[offset..<offset + size])
          let there = start + offset
          if there + size <= base.count {
            appendPage(page, at: there, UnsafeRawBufferPointer(rebasing: base[there...]))
          } else if there >= base.count {
            appendPage(page, at: there, zeros)
          } else {
            keep(page, at: there)
          }
          offset += size
        }
      }
    }
  }

  private mutating func appendPage(
    _ page: UnsafeRawBufferPointer,
    at start: Int,
    _ base: UnsafeRawBufferPointer
  ) {
    guard !Self.isSame(page, base, 0..<page.count) else { return }
    var offset = 0
    while offset < page.count {
      let end = min(offset + Self.blockSize, page.count)
      if !Self.isSame(page, base, offset..<end) {
        keep(UnsafeRawBufferPointer(rebasing: page[offset..<end]), at: start + offset)
      }
      offset = end
    }
  }

  private static func isSame(
    _ one: UnsafeRawBufferPointer,
    _ other: UnsafeRawBufferPointer,
    _ range: Range<Int>
  ) -> Bool {
    guard let one = one.baseAddress, let other = other.baseAddress else { return true }
    return memcmp(one + range.lowerBound, other + range.lowerBound, range.count) == 0
  }

  private mutating func keep(_ block: UnsafeRawBufferPointer, at offset: Int) {
    bytes.append(contentsOf: block)
    if let last = runs.last, last.offset + last.count == offset {
      runs[runs.count - 1].count += block.count
    } else {
      runs.append(Run(offset: offset, count: block.count))
    }
  }

  /// The size of the difference in memory, in bytes.
  var byteCount: Int { bytes.count + runs.count * MemoryLayout<Run>.stride }

  /// Returns the bytes of the whole file.
  func bytes(over image: FileImage?) -> [UInt8] {
    var whole = [UInt8](repeating: 0, count: count)
    whole.withUnsafeMutableBytes { write(0..<count, to: $0, over: image) }
    return whole
  }

  /// Writes a part of the file into a buffer of that part's size.
  func write(
    _ part: Range<Int>,
    to target: UnsafeMutableRawBufferPointer,
    over image: FileImage?
  ) {
    (image?.bytes ?? []).withUnsafeBytes { base in
      let common = base[min(part.lowerBound, base.count)..<min(part.upperBound, base.count)]
      target.copyBytes(from: common)
      let rest = target[common.count...]
      UnsafeMutableRawBufferPointer(rebasing: rest)
        .initializeMemory(as: UInt8.self, repeating: 0)
    }
    bytes.withUnsafeBytes { bytes in
      var next = 0
      for run in runs {
        let shared = (run.offset..<run.offset + run.count).clamped(to: part)
        if !shared.isEmpty {
          let from = next + shared.lowerBound - run.offset
          let there = shared.lowerBound - part.lowerBound
          UnsafeMutableRawBufferPointer(rebasing: target[there...])
            .copyBytes(from: bytes[from..<from + shared.count])
        }
        next += run.count
      }
    }
  }
}
