import HistoryTypes
import PropertyTesting
import PropertyTraits
import Testing

@Suite struct BytesTests {
  private static let numbers: [UInt64] =
    [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, .max, .max - 1] + (0..<64).map { 1 << $0 }

  @Test func `Numbers are read back as they were written`() {
    var writer = ByteWriter(capacity: 1)
    for number in Self.numbers {
      writer.append(varint: number)
      writer.append(zigzag: Int64(bitPattern: number))
      writer.append(littleEndian: number)
      writer.append(double: Double(bitPattern: number))
      writer.append(UInt8(truncatingIfNeeded: number))
    }
    var reader = ByteReader(writer.bytes)
    for number in Self.numbers {
      #expect(reader.varint() == number)
      #expect(reader.zigzag() == Int64(bitPattern: number))
      #expect(reader.littleEndian() == number)
      #expect(reader.double()?.bitPattern == number)
      #expect(reader.byte() == UInt8(truncatingIfNeeded: number))
    }
    #expect(reader.isAtEnd)
  }

  @Test(arguments: [(0, 1), (1, 1), (-1, 1), (63, 1), (-64, 1), (64, 2), (.max, 10), (.min, 10)])
  func `Small numbers of either sign are encoded in few bytes`(number: Int64, length: Int) {
    var writer = ByteWriter()
    writer.append(zigzag: number)
    #expect(writer.count == length)
  }

  @Test(arguments: [0, 1, 0x7f, 0x80, 300, UInt64.max], [0, 1, 2])
  func `A number inserted in place of one byte moves the following bytes`(
    number: UInt64,
    position: Int
  ) {
    var writer = ByteWriter(capacity: 3)
    for byte in UInt8(1)...3 { writer.append(byte) }
    writer.replaceByte(at: position, withVarint: number)
    var reader = ByteReader(writer.bytes)
    for byte in UInt8(1)...3 {
      if Int(byte) == position + 1 {
        #expect(reader.varint() == number)
      } else {
        #expect(reader.byte() == byte)
      }
    }
    #expect(reader.isAtEnd)
  }

  @Test func `Two numbers appended together equal two appended one by one`() {
    var both = ByteWriter(capacity: 1)
    var each = ByteWriter(capacity: 1)
    for number in [0, 0x7f, 0x80, 1 << 40, UInt64.max] {
      both.append(varints: number, number / 3)
      each.append(varint: number)
      each.append(varint: number / 3)
    }
    let bytes = Array(each.bytes)
    #expect(Array(both.bytes) == bytes)
  }

  @Test(arguments: [0, 1, 0x7f, 0x80, 5000])
  func `Two bytes, a length and that many bytes equal the same appended one by one`(_ count: Int) {
    var both = ByteWriter(capacity: 1)
    var each = ByteWriter(capacity: 1)
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    for first: UInt8 in [7, 0xff] {
      bytes.withUnsafeBytes {
        both.append(first, 3, countAndContentsOf: $0)
        each.append(first)
        each.append(3)
        each.append(varint: UInt64(count))
        each.append(contentsOf: $0)
      }
    }
    let wanted = Array(each.bytes)
    #expect(Array(both.bytes) == wanted)
  }

  @Test func `A buffer can grow and be reused`() {
    var writer = ByteWriter(capacity: 2)
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    bytes.withUnsafeBytes { writer.append(contentsOf: $0) }
    #expect(Array(writer.bytes) == bytes)
    writer.removeAll()
    #expect(writer.bytes.isEmpty)
    writer.append(contentsOf: UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(writer.count == 0)
  }

  @Test func `Every truncated number is nil`() {
    var writer = ByteWriter()
    writer.append(varint: .max)
    for length in 0..<writer.count {
      var reader = ByteReader(UnsafeRawBufferPointer(rebasing: writer.bytes[0..<length]))
      #expect(reader.varint() == nil)
    }
    for length in 0..<8 {
      let bytes = [UInt8](repeating: 1, count: length)
      bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        #expect(reader.littleEndian() == nil)
        #expect(reader.position == 0)
        #expect(reader.take(length + 1) == nil)
        #expect(reader.take(-1) == nil)
        #expect(reader.take(length)?.count == length)
      }
    }
  }

  @Test(
    arguments: [
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    ] as [[UInt8]]
  )
  func `A number of more than 64 bits is nil`(bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      #expect(reader.varint() == nil)
    }
  }

  @Test(.property(cases: 3_000, seed: 1))
  func `Garbage never traps and never reads past the end`() async throws {
    let bytes = Generator<Int>.ints(in: 0...255, spread: .uniform)
    let reads = Generator<Int>.ints(in: 0...9, spread: .uniform)
    try await property(
      bytes.array(count: 0...24, length: .uniform, element: "byte"),
      reads.array(count: 0...30, length: .mostlyLongest, element: "read")
    ) { bytes, reads in
      bytes.map { UInt8($0) }.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        for read in reads {
          switch read {
          case 0: _ = reader.byte()
          case 1: _ = reader.varint()
          case 2: _ = reader.zigzag()
          case 3: _ = reader.double()
          case 4: _ = reader.littleEndian()
          default: _ = reader.take([1, 2, 8, 24, 39][read - 5])
          }
        }
        #expect(reader.position <= bytes.count)
      }
    }
  }
}
