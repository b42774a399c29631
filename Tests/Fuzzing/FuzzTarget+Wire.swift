import HistoryTypes
import Traces

/// The messages between the lab and a program under test.
extension FuzzTarget {
  static let message = FuzzTarget(
    "message",
    "Requests of the wire: what is read is written and read again as the same request."
  ) {
    let header = try plannedHeader()
    return { bytes in
      let first: WireMessage
      do throws(WireRefusal) {
        first = try WireCodec.request(text(bytes), for: header)
      } catch {
        return try expect(!error.failure.description.isEmpty, "refused without a sentence")
      }
      let written = WireCodec.encode(first)
      do {
        let again = WireCodec.encode(try WireCodec.request(written, for: header))
        try expect(again == written, "written as \(written) and then as \(again)")
      } catch let error as WireRefusal {
        throw FuzzFinding("what was written is refused: \(error)\n\(written)")
      }
    }
  }

  static let answer = FuzzTarget(
    "answer",
    "Answers of the wire: refused with a sentence, or read; the first byte chooses what was asked."
  ) {
    let header = try plannedHeader()
    let app = header.actors[0].id
    let requests: [WireRequest] =
      [.hello, .reset(header), .recover, .bye]
      + [
        .launch(app), .fetch(app), .merge(app), .record(app), .pass(app), .purge(app), .data,
        .history,
      ]
      .map(WireRequest.command)
    let writer = WireWriter(author: "app", context: "view")
    return { bytes in
      let line = text(Array(bytes.dropFirst()))
      _ = try refusable { () throws(FormatError) in try WireCodec.hello(line, id: 1) }
      let request = requests[Int(bytes.first ?? 0) % requests.count]
      for writer in [nil, writer] {
        _ = try refusable { () throws(FormatError) in
          try WireCodec.reply(line, id: 1, to: request, by: writer, in: header)
        }
      }
    }
  }

  private static func plannedHeader() throws -> PlanHeader {
    let model = try Model([
      Entity("Item", [Attribute("title", .string), Attribute("count", .int)]),
      Entity(
        "Note",
        [
          Attribute("ratio", .double), Attribute("body", .data), Attribute("due", .date),
          Attribute("done", .bool), Attribute("code", .uuid),
        ]
      ),
    ])
    var header = PlanHeader(
      model: model,
      actors: [PlannedActor("app", author: "app"), PlannedActor("widget", author: "widget")]
    )
    header.consumers = ["mirror"]
    return header
  }
}
