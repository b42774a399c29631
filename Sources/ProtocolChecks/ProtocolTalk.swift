import Basics
import Foundation
import HistoryTypes
import Programs
import Systems
import Traces

/// A conversation with a program: the messages, the answers, and the faults of the answers.
struct ProtocolTalk {
  let channel: any WireChannel
  /// The header of the plan that the conversation uses.
  let header: PlanHeader
  /// The capabilities that the program declares.
  private(set) var abilities: Set<Capability> = []
  var report: ProtocolReport
  /// The newest message and its answer.
  private(set) var last = ProtocolExchange.none
  /// The exchange before `last`.
  private var previous = ProtocolExchange.none
  /// The ids of the messages whose answers were wrong.
  var blamed: Set<Int> = []
  /// The current time of the plan, in seconds.
  var now = PlanClock.start
  private var lastID = 0
  private var said: String?
  /// The actors whose launch failed; errors of their later commands follow from that and are not reported.
  private var lost: Set<ActorID> = []
  private var hasWrongID = false
  /// The number of consecutive messages whose answer was not a JSON object.
  private var junkCount = 0
  /// Whether a search for an answer after a line that is not a JSON object has failed once.
  ///
  /// If `true`, each later line that is not a JSON object counts as the answer itself, and no
  /// further lines are read.
  private var hasWaited = false

  /// The maximum number of lines to read after a non-JSON line until the answer is found.
  private static let junkLineCountMax = 1000

  /// An error that ends the conversation early.
  struct Ended: Error {
    let reason: String
  }

  enum Outcome {
    case answered(WireAnswer)
    /// The answer is an error.
    case refused(SystemFailure)
    /// The answer cannot be parsed.
    case unreadable

    /// The answer; `nil` for an error or an answer that cannot be parsed.
    var answer: WireAnswer? {
      if case .answered(let answer) = self { answer } else { nil }
    }
  }

  init(_ channel: any WireChannel, command: String, _ header: PlanHeader) {
    self.channel = channel
    self.header = header
    report = ProtocolReport(command: command)
  }

  // MARK: Lines

  /// Sends a message with the next id, and returns the line that answers it.
  private mutating func send(
    _ command: String,
    right: String,
    _ make: (Int) -> String
  ) throws(Ended) -> String {
    lastID += 1
    let message = make(lastID)
    var answer: String
    do throws(ProgramError) { answer = try channel.exchange(message) } catch {
      throw Ended(reason: reason(error.clause, after: message))
    }
    said = answer
    previous = last
    last = ProtocolExchange(
      command: command,
      id: lastID,
      sent: message,
      answered: answer,
      right: right
    )
    if Self.object(answer) == nil { answer = try replacement(for: answer, of: command) }
    return try matched(answer, of: command)
  }

  private func reason(_ clause: String, after message: String) -> String {
    let errors = channel.lastErrors
    return RunFailure(
      clause: clause,
      asked: message,
      said: said,
      errors: errors.isEmpty ? nil : errors
    ).description
  }

  /// Reports a line that is not a JSON object, and reads further lines until one answers the message.
  ///
  /// Such a line is usually debug output, which precedes the answer.
  private mutating func replacement(
    for line: String,
    of command: String
  ) throws(Ended) -> String {
    let isEmpty = line.allSatisfy(\.isWhitespace)
    let what = isEmpty ? "an empty line" : "a line that is not a JSON object: \(line.quoted)"
    blame(
      command,
      "the program wrote \(what). Write one JSON object a line to standard output, and everything "
        + "else to standard error."
    )
    if !hasWaited, let answer = try receive(Self.junkLineCountMax) {
      junkCount = 0
      return answer
    }
    hasWaited = true
    junkCount += 1
    if junkCount > 2 { throw Ended(reason: "Three lines in a row are not JSON objects.") }
    return line
  }

  /// Checks a line's id, reports the first wrong id, and returns the line that answers the newest message.
  private mutating func matched(_ line: String, of command: String) throws(Ended) -> String {
    guard let object = Self.object(line) else { return line }
    junkCount = 0
    guard let id = Self.id(in: object) else {
      let found = object["id"].map { $0 is NSNull ? "has the id null" : "has the id \($0)" }
      blameID(command, found ?? "lacks the key \"id\"")
      return line
    }
    guard id != lastID else { return line }
    if id == lastID - 1, let answer = try receive(1) {
      blame(previous.command, "message \(id) was answered twice", in: previous)
      return answer
    }
    blameID(command, "has the id \(id)")
    guard (1..<lastID).contains(id) else { return line }
    throw Ended(
      reason: "Message \(lastID) got an answer with the id of message \(id): further answers "
        + "cannot be matched with messages."
    )
  }

  private mutating func blameID(_ command: String, _ what: String) {
    if !hasWrongID {
      blame(
        command,
        "the answer to \(command.quoted) \(what), and the message had \(lastID). Answer each message "
          + "once, with its id."
      )
    }
    hasWrongID = true
  }

  private static func id(in object: [String: Any]) -> Int? {
    object["id"] as? Int ?? (object["id"] as? String).flatMap { Int($0) }
  }

  /// Reads up to `countMax` further lines until one answers the newest message.
  ///
  /// Waits at most one second for each line.
  private mutating func receive(_ countMax: Int) throws(Ended) -> String? {
    do throws(ProgramError) {
      for _ in 0..<countMax {
        guard let next = try channel.receive(within: .seconds(1)) else { return nil }
        guard let object = Self.object(next), Self.id(in: object) == lastID else { continue }
        said = next
        last.answered = next
        return next
      }
      return nil
    } catch { throw Ended(reason: reason(error.clause, after: last.sent)) }
  }

  private static func object(_ line: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
  }

  /// The name of the transaction in the newest answer, even if the rest of the answer is malformed.
  var lastName: TransactionName? {
    let ok = said.flatMap { Self.object($0)?["ok"] as? [String: Any] }
    return ok?["transaction"] as? String
  }

  // MARK: Asking

  /// Sends the greeting and reads the program's name, version and capabilities.
  mutating func greet() throws(Ended) {
    let example = WireHello(
      system: "mine",
      version: "1",
      capabilities: ["steps", "crash", "purge", "history"]
    )
    let line = try send("hello", right: WireCodec.encode(example, id: lastID + 1)) {
      WireCodec.encode(WireMessage(id: $0, request: .hello))
    }
    do throws(FormatError) {
      switch try WireCodec.hello(line, id: nil) {
      case .success(let hello):
        report.system = hello.system
        report.version = hello.version
        report.capabilities = hello.capabilities
        abilities = hello.abilities
        note("hello")
        warnOfUnknownCapabilities(hello)
      case .failure(let failure): blame("hello", "the program answered with \(failure.failure)")
      }
    } catch { blame("hello", error.description) }
  }

  private mutating func warnOfUnknownCapabilities(_ hello: WireHello) {
    let known = Capability.allCases.map(\.rawValue)
    let unknown = hello.capabilities.filter { !known.contains($0) }
    report.unknownCapabilities = unknown
    guard !unknown.isEmpty else { return }
    var better = hello
    better.capabilities = hello.capabilities.filter(known.contains)
    for word in unknown.compactMap({ NearestWord.find($0, among: known) })
    where !better.capabilities.contains(word) { better.capabilities.append(word) }
    let hints = unknown.map { NearestWord.hint(for: $0, among: known) }.joined()
    let names = unknown.map(\.quoted).joinedWithAnd
    let noun = unknown.count == 1 ? "the capability \(names) is" : "the capabilities \(names) are"
    let exchange = last.with(right: WireCodec.encode(better, id: last.id))
    report.warnings.append(exchange.fault("hello", "\(noun) unknown and ignored.\(hints)"))
  }

  /// Sends an unknown command, which the program must answer with the error `unsupported`.
  mutating func askNonsense() throws(Ended) {
    let word = "unheard-of"
    let refusal = SystemFailure(.unsupported, "There is no command \(word).")
    let row = "a command that is not known"
    let right = WireCodec.encode(WireFailure(refusal), id: lastID + 1)
    let line = try send(row, right: right) { "{\"do\":\"\(word)\",\"id\":\($0)}" }
    do throws(FormatError) {
      let reply = try WireCodec.reply(line, id: nil, to: .recover, by: nil, in: header)
      guard case .failure(let failure) = reply, failure.failure.code == .unsupported else {
        return blame(row, "the command must be answered with the error code \"unsupported\"")
      }
      guard !failure.failure.message.isEmpty else {
        return blame(row, "an error needs a \"message\" that says what happened")
      }
      note(row)
    } catch { blame(row, error.description) }
  }

  /// Sends a request, and reports the answer as wrong if the answer is an error or cannot be parsed.
  ///
  /// `hint` is a sentence that is added to the complaint about an answer that cannot be parsed.
  /// `tick` is the time by which the plan's clock advances, in seconds.
  mutating func ask(
    _ request: WireRequest,
    right: WireAnswer = WireAnswer(),
    hint: String? = nil,
    tick: Double = 1
  ) throws(Ended) -> Outcome {
    now += tick
    let (header, now, word) = (header, now, request.word)
    let line = try send(word, right: WireCodec.encode(right, id: lastID + 1)) {
      WireCodec.encode(WireMessage(id: $0, request: request, now: now))
    }
    let hint = hint.map { " \($0)" } ?? ""
    do throws(FormatError) {
      let writer = writer(of: request)
      switch try WireCodec.reply(line, id: nil, to: request, by: writer, in: header) {
      case .success(let answer):
        note(word)
        return .answered(answer)
      case .failure(let failure):
        refuse(failure.failure, of: request)
        return .refused(failure.failure)
      }
    } catch {
      // A line that is not a JSON object was reported already.
      if Self.object(line) != nil { blame(word, error.description + hint) }
      return .unreadable
    }
  }

  /// Reports an error answer as wrong, unless the error follows from a failed launch.
  private mutating func refuse(_ failure: SystemFailure, of request: WireRequest) {
    guard case .command(let action) = request, let actor = action.actor else {
      return blame(request.word, "the program answered with \(failure)")
    }
    if case .launch = action {
      if failure.code == .inUse {
        return blame(
          "reset",
          "a reset must launch no actor: each actor has its own message \"launch\""
        )
      }
      lost.insert(actor)
    } else if lost.contains(actor) {
      return
    }
    blame(request.word, "the program answered with \(failure)")
  }

  private func writer(of request: WireRequest) -> WireWriter? {
    guard case .command(let action) = request else { return nil }
    let own = action.actor.flatMap { header.actor($0)?.author }
    switch action {
    case .write(let write):
      return WireWriter(author: write.author == .absent ? nil : own, context: "view")
    case .batch, .commit: return WireWriter(author: own, context: "view")
    default: return nil
    }
  }
}
