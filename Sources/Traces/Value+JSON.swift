internal import HistoryTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Value {
  /// The value as plans and traces write it; its type follows from the model, not from the text.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .int(let integer): JSONValue(integer)
    case .double(let number): JSONValue(number)
    case .string(let text): .string(text)
    case .data(let data): .string(data.base64EncodedString())
    case .date(let date): JSONValue(date.timeIntervalSinceReferenceDate)
    case .bool(let truth): .bool(truth)
    case .uuid(let uuid): .string(uuid.uuidString)
    }
  }

  /// Reads a value of an attribute's type, or returns `nil`.
  init?(_ json: JSONValue, as type: AttributeType) {
    if json == .null {
      self = .null
      return
    }
    let value: Value? =
      switch type {
      case .int: json.whole.map(Value.int)
      case .double: json.double.map(Value.double)
      case .string: json.text.map(Value.string)
      case .data: json.text.flatMap { Data(base64Encoded: $0) }.map(Value.data)
      case .date: json.double.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .bool: json.truth.map(Value.bool)
      case .uuid: json.text.flatMap { UUID(exactly: $0) }.map(Value.uuid)
      }
    guard let value else { return nil }
    self = value
  }
}

extension AttributeType {
  /// A sentence that describes how a value of the type is written.
  var spelling: String {
    switch self {
    case .int: "An int is a whole number up to 2^53, beyond that a decimal string."
    case .double: "A double is a number, \"NaN\", \"Infinity\" or \"-Infinity\"."
    case .string: "A string is in quotes."
    case .data: "Data is a base64 string."
    case .date: "A date is a number of seconds since 2001-01-01 UTC."
    case .bool: "A bool is true or false."
    case .uuid: "A uuid is a string such as \"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"."
    }
  }
}

extension ChangeType {
  /// The word for the type in plans and traces.
  package var word: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }
}

extension Fields {
  /// Reads the type of a change under the key `op`.
  func changeType() throws(FormatError) -> ChangeType {
    let text = try string("op")
    guard let type = ChangeType.allCases.first(where: { $0.word == text }) else {
      let words = ChangeType.allCases.map(\.word)
      throw place.error("\"op\" of \(what) cannot be \"\(text)\"", Self.advice(text, words))
    }
    return type
  }
}
