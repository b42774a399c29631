internal import HistoryTypes

/// Encodes messages between the lab and a program under test: one JSON object per line.
///
/// Unknown keys are ignored, so that either side may be newer.
package enum WireCodec {
  /// Returns one request without its newline.
  package static func encode(_ message: WireMessage) -> String {
    var members = json(of: message.request)
    members["do"] = .string(message.request.word)
    members["id"] = .integer(Int64(message.id))
    members["now"] = message.now.map { JSONValue($0) }
    return JSONValue.object(members).line
  }

  private static func json(of request: WireRequest) -> [String: JSONValue] {
    switch request {
    case .hello: return ["version": .integer(Int64(PlanHeader.version))]
    case .reset(let header):
      var members = PlanCodec.json(of: header).members ?? [:]
      members["plan"] = nil
      members["version"] = .integer(Int64(PlanHeader.version))
      return members
    case .command(let action): return PlanCodec.json(of: Command(action)).members ?? [:]
    case .recover, .bye: return [:]
    }
  }

  /// Reads a request; commands are read with the names of the current plan.
  ///
  /// - Throws: ``WireRefusal`` with an error message for the sender.
  package static func request(
    _ line: String,
    for header: PlanHeader?
  ) throws(WireRefusal) -> WireMessage {
    var id: Int?
    do throws(FormatError) {
      let place = Place(line: nil, lenient: true)
      let fields = try Fields(JSONValue(message: line), as: "the message", at: place)
      id = try fields.find("id", "a whole number") { $0.whole.map { Int($0) } }
      let known = try fields.need("id", "a whole number") { $0.whole.map { Int($0) } }
      let request = try request(fields, for: header)
      return WireMessage(id: known, request: request, now: try fields.finite(ifAny: "now"))
    } catch {
      let isUnknown = error.problem.hasPrefix(unknownWord)
      throw WireRefusal(
        id: id,
        failure: SystemFailure(isUnknown ? .unsupported : .failed, error.description)
      )
    }
  }

  private static let unknownWord = "\"do\" of the message cannot be"

  private static func request(
    _ fields: Fields,
    for header: PlanHeader?
  ) throws(FormatError) -> WireRequest {
    switch try fields.string("do") {
    case "hello": return .hello
    case "reset": return .reset(try plan(fields))
    case "heal": return .recover
    case "bye": return .bye
    case let word:
      guard CommandWord(rawValue: word) != nil else {
        throw fields.place.error(
          "\(unknownWord) \"\(word)\"",
          Fields.advice(word, WireRequest.words)
        )
      }
      guard let header else {
        throw fields.place.error(
          "the command \"\(word)\" comes before any plan",
          "Send \"reset\" with the keys of a plan's header first."
        )
      }
      return .command(try PlanCodec.command(fields, Vocabulary(header)).action)
    }
  }

  private static func plan(_ fields: Fields) throws(FormatError) -> PlanHeader {
    var members = fields.members
    members["plan"] = members["version"] ?? .integer(Int64(PlanHeader.version))
    return try PlanCodec.header(Fields(members, as: "the header", at: fields.place))
  }
}
