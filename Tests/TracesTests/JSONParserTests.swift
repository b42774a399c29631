import Testing

@testable import Traces

@Suite struct `Lines of JSON` {
  @Test(arguments: [
    #"{"a":1,"b":[true,false,null],"c":{"d":"e"}}"#, #"[]"#, #"{}"#, #""x\"\\\n\r\t\u0001y""#,
    "9223372036854775807", "-12", "0.5", "-0.0", "1e+300", #"{"é":"ü 🙂"}"#,
  ])
  func `JSON by the lab is read back unchanged`(_ text: String) throws {
    #expect(try parse(text).line == text)
  }

  @Test func `Whole numbers are exact beyond the precision of a double`() throws {
    #expect(try parse("9007199254740993") == .integer(9_007_199_254_740_993))
  }

  @Test(arguments: [
    "", "{", "{\"a\"}", "{\"a\":}", "[1,]", "[1", "\"x", "tru", "1.2.3", "{a:1}", "1 2",
    "\"\u{1}\"",
    #""\q""#, #""\u00z1""#, "NaN",
  ])
  func `Invalid JSON is refused with its position`(_ text: String) {
    #expect(throws: FormatError.self) { try parse(text) }
  }

  @Test func `A thousand brackets are refused`() {
    #expect(throws: FormatError.self) { try parse(String(repeating: "[", count: 1000)) }
  }

  private func parse(_ text: String) throws -> JSONValue {
    var copy = text
    return try copy.withUTF8 { bytes in
      try JSONParser.parse(UnsafeRawBufferPointer(bytes), at: Place(line: 1))
    }
  }
}
