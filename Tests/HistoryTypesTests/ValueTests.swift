import Foundation
import HistoryTypes
import Testing

@Suite struct ValueTests {
  @Test func `A value knows its type, and null has none`() {
    #expect((1 as Value).type == .int)
    #expect((1.5 as Value).type == .double)
    #expect(("a" as Value).type == .string)
    #expect((true as Value).type == .bool)
    #expect(Value.data(Data()).type == .data)
    #expect(Value.date(Date()).type == .date)
    #expect(Value.uuid(UUID()).type == .uuid)
    #expect((nil as Value).type == nil)
  }

  @Test func `A value is read as its own type only`() {
    let (data, date, uuid) = (Data([1]), Date(timeIntervalSinceReferenceDate: 1), UUID())
    #expect((1 as Value).int == 1 && (1.5 as Value).double == 1.5)
    #expect(("a" as Value).string == "a" && (true as Value).bool == true)
    #expect(Value.data(data).data == data && Value.date(date).date == date)
    #expect(Value.uuid(uuid).uuid == uuid && Value.null.isNull && !(0 as Value).isNull)
    #expect((1 as Value).double == nil && (1.5 as Value).int == nil && (1 as Value).bool == nil)
    #expect(Value.null.string == nil && ("a" as Value).data == nil && Value.null.uuid == nil)
    #expect((1.5 as Value).date == nil)
  }

  @Test func `A value has a short text form`() {
    #expect("\(Value.null) \(Value.int(-1)) \(Value.bool(true))" == "null -1 true")
    #expect("\(Value.string("a")) \(Value.data(Data([1, 2])))" == "\"a\" 2 bytes")
    #expect("\(Value.date(Date(timeIntervalSinceReferenceDate: 1.5)))" == "1.5 s")
  }

  @Test func `Identities are ordered by entity, then by key`() {
    let ids = [
      ObjectID(entity: 2, key: 1), ObjectID(entity: 1, key: 10), ObjectID(entity: 1, key: 9),
    ]
    #expect(ids.sorted().map(\.description) == ["e1/p9", "e1/p10", "e2/p1"])
    #expect([MemberID("b"), "a"].sorted().map(\.name) == ["a", "b"])
  }

  @Test func `Strings are found by number and numbers by string`() {
    var strings = InternedStrings()
    strings.learn("app", as: 3)
    #expect(strings[3] == "app")
    #expect(strings.number(of: "app") == 3)
    #expect(strings.number(of: nil) == 0)
    #expect(strings.number(of: "widget") == nil)
    #expect(strings.completeThrough == 0)
    for number in [0, 1, -1, 4, Int32.max, Int32.min] { #expect(strings[number] == nil) }
  }
}
