import HistoryTypes
import Testing

@testable import Traces

@Suite struct `Messages of the wire` {
  private static let header = PlanHeader(
    model: Model(unchecked: [Entity("Item", [Attribute("title", .string)])]),
    actors: [PlannedActor("app", author: "app"), PlannedActor("widget", author: nil)]
  )
  private static let writer = WireWriter(author: "app", context: "view")

  @Test func `A request is decoded as it was encoded, and unknown keys are ignored`() throws {
    var random = RandomPlan(seed: 3)
    let plan = try random.plan()
    let requests: [WireRequest] =
      [.hello, .reset(plan.header), .recover, .bye] + plan.commands.map { .command($0.action) }
    for (id, request) in requests.enumerated() {
      let message = WireMessage(id: id, request: request, now: 800_000_000.5)
      let line = WireCodec.encode(message)
      #expect(!line.contains("\n"))
      let later = String(line.dropLast()) + #","zukunft":{"a":[1]}}"#
      #expect(try WireCodec.request(later, for: plan.header) == message, "\(line)")
    }
  }

  @Test(arguments: [
    ("{}", nil, SystemFailure.Code.failed, "the message lacks the key \"id\""),
    ("nonsense", nil, .failed, "this is not JSON: nonsense. Send one JSON object a line."),
    (#"{"id":4,"do":"foo"}"#, 4, .unsupported, "\"do\" of the message cannot be \"foo\""),
    (#"{"id":4}"#, 4, .failed, "the message lacks the key \"do\""),
    (#"{"id":4,"do":"reset"}"#, 4, .failed, "A model needs at least one entity."),
    (#"{"id":4,"do":"reset","version":2}"#, 4, .failed, "Use a newer history-lab."),
    (#"{"id":4,"do":"view","actor":1}"#, 4, .failed, "\"actor\" of the command \"view\" is 1"),
  ])
  func `An invalid request is refused with a reason`(
    _ line: String,
    _ id: Int?,
    _ code: SystemFailure.Code,
    _ sentence: String
  ) {
    let refusal = #expect(throws: WireRefusal.self) {
      try WireCodec.request(line, for: Self.header)
    }
    #expect(refusal?.id == id)
    #expect(refusal?.failure.code == code)
    #expect(refusal?.failure.message.contains(sentence) == true, "\(refusal as Any)")
  }

  @Test func `A command before any plan is refused`() {
    let refusal = #expect(throws: WireRefusal.self) {
      try WireCodec.request(#"{"id":4,"do":"data"}"#, for: nil)
    }
    #expect(refusal?.failure.message.contains("before any plan") == true)
  }

  private static func answers() -> [(WireRequest, WireAnswer)] {
    var pass = WireAnswer()
    (pass.transactions, pass.fetched, pass.observed) = (["a", "b"], ["a", "b", "c"], ["a"])
    (pass.finished, pass.purged, pass.cursor) = (["c"], ["a"], WirePosition("b"))
    (pass.lost, pass.signalled) = (["widget"], ["app", "widget"])
    var launch = WireAnswer()
    (launch.cursor, launch.recorded) = (WirePosition(nil), WirePosition("c"))
    (launch.isRegistered, launch.isExpired, launch.hasWoken) = (true, true, true)
    var write = WireAnswer()
    let change = CommittedChange(.update, ObjectName("Item", 1), columns: ["title"])
    let reported = CommittedTransaction(
      name: "7",
      author: nil,
      context: "view",
      writer: "app/view",
      timestamp: 1.5,
      changes: [change]
    )
    write.write = .committed(reported)
    var nothing = WireAnswer()
    nothing.write = .nothing
    var view = WireAnswer()
    view.objects = [ObjectName("Item", 1): ["title": .string("a")]]
    var history = WireAnswer()
    history.history = [reported]
    let save = PlannedWrite(actor: "app", changes: [])
    return [
      (.command(.pass("app")), pass), (.command(.launch("app")), launch),
      (.command(.write(save)), write), (.command(.write(save)), nothing),
      (.command(.view("app", context: "view")), view), (.command(.history), history),
      (.recover, WireAnswer()),
    ]
  }

  @Test func `A response is decoded as it was encoded`() throws {
    for (request, answer) in Self.answers() {
      let isWrite = request.word == "write"
      let line = WireCodec.encode(answer, id: 3)
      let reply = try WireCodec.reply(
        line,
        id: 3,
        to: request,
        by: isWrite ? Self.writer : nil,
        in: Self.header
      )
      #expect(reply == .success(answer), "\(line)")
      let failure = WireFailure(SystemFailure(.busy, "later"), done: answer)
      let again = try WireCodec.reply(
        WireCodec.encode(failure, id: 3),
        id: 3,
        to: request,
        by: isWrite ? Self.writer : nil,
        in: Self.header
      )
      #expect(again == .failure(failure), "\(line)")
    }
  }

  @Test func `The lab fills in the fields that a write's response omits`() throws {
    let line = #"{"id":1,"ok":{"transaction":"x","timestamp":3,"changes":[]}}"#
    let request = WireRequest.command(.write(PlannedWrite(actor: "app", changes: [])))
    let reply = try WireCodec.reply(line, id: 1, to: request, by: Self.writer, in: Self.header)
    guard case .committed(let reported) = try reply.get().write else {
      Issue.record("\(reply)")
      return
    }
    #expect(reported.author == "app" && reported.context == "view" && reported.writer == nil)
  }

  @Test(arguments: [
    ("data", #"{"id":2,"ok":{"objects":{}}}"#, "has the id 2, and the message had 1"),
    ("data", #"{"ok":{"objects":{}}}"#, "lacks the key \"id\""),
    ("data", #"{"id":1}"#, "lacks the key \"ok\""),
    ("data", #"{"id":1,"ok":{},"error":{"code":"busy"}}"#, "has \"ok\" and \"error\""),
    ("data", #"{"id":1,"ok":{}}"#, "lacks the key \"objects\""),
    ("data", #"{"id":1,"ok":{"objects":{"Itm/1":{}}}}"#, "the model has no entity \"Itm\""),
    ("data", #"{"id":1,"ok":{"objects":{"Item/1":{"title":3}}}}"#, "3 is not a value"),
    ("data", #"{"id":1,"ok":{"objects":[]}}"#, "Make it an object."),
    ("data", #"{"id":1,"error":{"code":"oops"}}"#, "cannot be \"oops\""),
    ("data", "[]", "is not an object"), ("data", "", "the message is empty"),
    ("data", #"{"id":1,"ok":{"objects":{}}"#, "this is not JSON"),
    ("launch", #"{"id":1,"ok":{}}"#, "lacks the key \"cursor\""),
    ("pass", #"{"id":1,"ok":{"transactions":[1]}}"#, "Make it a list of strings."),
    ("pass", #"{"id":1,"ok":{"transactions":[],"lost":["x"]}}"#, "no actor or consumer \"x\""),
    ("write", #"{"id":1,"ok":{"transaction":"1","changes":[]}}"#, "lacks the key \"timestamp\""),
    ("write", #"{"id":1,"ok":{"transaction":"1","timestamp":1}}"#, "lacks the key \"changes\""),
    (
      "write", #"{"id":1,"ok":{"transaction":1,"timestamp":1,"changes":[]}}"#,
      "Make it a string."
    ),
  ])
  func `An invalid response is refused with a reason`(
    _ word: String,
    _ line: String,
    _ sentence: String
  ) {
    let request: WireRequest =
      switch word {
      case "launch": .command(.launch("app"))
      case "pass": .command(.pass("app"))
      case "write": .command(.write(PlannedWrite(actor: "app", changes: [])))
      default: .command(.data)
      }
    let writer = word == "write" ? Self.writer : nil
    let error = #expect(throws: FormatError.self) {
      try WireCodec.reply(line, id: 1, to: request, by: writer, in: Self.header)
    }
    #expect(error?.line == nil)
    #expect(error?.description.contains(sentence) == true, "\(error as Any)")
  }

  @Test func `A greeting is decoded as it was encoded`() throws {
    let hello = WireHello(
      system: "mine",
      version: "2",
      capabilities: ["steps", "unheard-of"],
      timestamps: .monotone
    )
    #expect(try WireCodec.hello(WireCodec.encode(hello, id: 9), id: 9) == .success(hello))
    #expect(throws: FormatError.self) {
      try WireCodec.hello(#"{"id":1,"ok":{"system":"a","version":"1"}}"#, id: 1)
    }
  }
}
