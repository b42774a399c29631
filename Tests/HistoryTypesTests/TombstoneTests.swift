import HistoryTypes
import TestSupport
import Testing

@Suite struct TombstoneTests {
  private let entity = Entity(
    "Item",
    AttributeType.allCases.map {
      Attribute($0.rawValue, $0, preservesValueInHistoryOnDeletion: true)
    }
  )

  @Test func `Values have their attributes' types, however they are stored`() throws {
    let id = UUID()
    var writer = ByteWriter()
    append(&writer, .int, .integer) { $0.append(zigzag: -5) }
    append(&writer, .double, .real) { $0.append(double: 2.5) }
    append(&writer, .date, .real) { $0.append(double: 700) }
    append(&writer, .bool, .integer) { $0.append(zigzag: 1) }
    append(&writer, .string, .text) { $0.append(counted: Array("naïve".utf8)) }
    append(&writer, .data, .blob) { $0.append(counted: []) }
    append(&writer, .uuid, .blob) { $0.append(counted: withUnsafeBytes(of: id.uuid, Array.init)) }
    let values = try #require(Tombstone.decode(writer.bytes, of: entity))
    #expect(
      values == [
        "int": -5, "double": 2.5, "date": .date(Date(timeIntervalSinceReferenceDate: 700)),
        "bool": true, "string": "naïve", "data": .data(Data()), "uuid": .uuid(id),
      ]
    )
  }

  @Test func `A double that is stored as an integer is still a double`() throws {
    var writer = ByteWriter()
    append(&writer, .double, .integer) { $0.append(zigzag: 3) }
    append(&writer, .date, .integer) { $0.append(zigzag: 4) }
    let values = try #require(Tombstone.decode(writer.bytes, of: entity))
    #expect(values["double"] == .double(3))
    #expect(values["date"] == .date(Date(timeIntervalSinceReferenceDate: 4)))
  }

  @Test(
    arguments: [
      [200], [0], [0, 9], [0, 1], [0, 2, 1, 2, 3], [0, 3, 1, 65], [2, 3, 5, 65], [2, 1, 2],
      [6, 4, 2, 1, 2], [6, 4, 17] + Array(repeating: 1, count: 17),
      [2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ] as [[UInt8]]
  )
  func `Bytes that are not a tombstone of the entity give nil`(bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes { Tombstone.decode($0, of: entity) } == nil)
  }

  @Test func `Garbage never traps`() {
    var random = SeededRandom(seed: 2)
    for _ in 0..<3000 {
      var bytes = random.bytes(Int.random(in: 0...24, using: &random))
      for index in bytes.indices.dropLast() where random.next() % 2 == 0 {
        bytes[index] %= 8
      }
      _ = bytes.withUnsafeBytes { Tombstone.decode($0, of: entity) }
    }
  }

  private func append(
    _ writer: inout ByteWriter,
    _ type: AttributeType,
    _ tag: Tombstone.Tag,
    _ value: (inout ByteWriter) -> Void
  ) {
    writer.append(UInt8(entity.index(of: type.rawValue) ?? 255))
    writer.append(tag.rawValue)
    value(&writer)
  }
}

extension ByteWriter {
  fileprivate mutating func append(counted bytes: [UInt8]) {
    append(varint: UInt64(bytes.count))
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }
}
