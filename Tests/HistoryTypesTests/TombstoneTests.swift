import HistoryTypes
import PropertyTesting
import PropertyTraits
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

  @Test(.property(cases: 3_000, seed: 2)) func `Garbage never traps`() async throws {
    // Small numbers are likely: the tags, the places of attributes and the counts are small.
    let numbers = Generator<Int>.ints(in: 0...255)
      .array(count: 0...24, length: .uniform, element: "byte")
    try await property(numbers) { [entity] bytes in
      _ = bytes.map { UInt8($0) }.withUnsafeBytes { Tombstone.decode($0, of: entity) }
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
