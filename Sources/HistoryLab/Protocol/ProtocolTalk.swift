import PersistentHistory
import Systems
import Traces

/// A conversation with a program: what it is asked, and what is wrong with its answers.
struct ProtocolTalk {
  let channel: any WireChannel
  /// The plan that the conversation is about.
  let header: PlanHeader
  /// What the program can be asked to do.
  private(set) var abilities: Set<Capability> = []
  private(set) var report: ProtocolReport
  private var lastID = 0
  private(set) var now = PlanClock.start
  private var said: String?

  /// It said nothing more that can be read.
  struct Ended: Error {
    let trouble: SystemTrouble
  }

  init(_ channel: any WireChannel, command: String, _ header: PlanHeader) {
    self.channel = channel
    self.header = header
    report = ProtocolReport(command: command)
  }

  // MARK: Asking

  /// Sends a line with the next number, and answers what came back.
  mutating func send(_ make: (Int) -> String) throws(Ended) -> String {
    lastID += 1
    let message = make(lastID)
    do throws(WireTrouble) {
      let answer = try channel.exchange(message)
      said = answer
      return answer
    } catch {
      let errors = channel.lastErrors
      throw Ended(
        trouble: SystemTrouble(
          clause: error.clause,
          asked: message,
          said: said,
          errors: errors.isEmpty ? nil : errors
        )
      )
    }
  }

  /// Greets the program.
  mutating func greet() throws(Ended) {
    let line = try send { WireCodec.encode(WireMessage(id: $0, request: .hello)) }
    do throws(FormatError) {
      switch try WireCodec.hello(line, id: lastID) {
      case .success(let hello):
        report.system = hello.system
        report.version = hello.version
        report.capabilities = hello.capabilities
        report.unknownCapabilities = hello.capabilities.filter { Capability(rawValue: $0) == nil }
        abilities = hello.abilities
        note("hello", wrong: nil)
      case .failure(let failure): note("hello", wrong: "it answered with \(failure.failure)")
      }
    } catch { note("hello", wrong: error.description) }
  }

  /// Asks for what the program can do, and answers what it said if that can be read and is no error.
  mutating func ask(
    _ request: WireRequest,
    tick: Double = 1
  ) throws(Ended) -> WireAnswer? {
    now += tick
    let (header, now) = (header, now)
    let line = try send { WireCodec.encode(WireMessage(id: $0, request: request, now: now)) }
    do throws(FormatError) {
      let reply = try WireCodec.reply(
        line,
        id: lastID,
        to: request,
        by: writer(of: request),
        in: header
      )
      switch reply {
      case .success(let answer):
        note(request.word, wrong: nil)
        return answer
      case .failure(let failure):
        note(request.word, wrong: "it answered with \(failure.failure)")
      }
    } catch { note(request.word, wrong: error.description) }
    return nil
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

  /// Asks with a word that no version has.
  mutating func askNonsense() throws(Ended) {
    let word = "unheard-of"
    let line = try send { "{\"do\":\"\(word)\",\"id\":\($0)}" }
    let row = "a command that is not known"
    do throws(FormatError) {
      let reply = try WireCodec.reply(line, id: lastID, to: .heal, by: nil, in: header)
      if case .failure(let failure) = reply, failure.failure.code == .unsupported {
        note(row, wrong: nil)
      } else {
        note(row, wrong: "it must be answered with the error code \"unsupported\"")
      }
    } catch { note(row, wrong: error.description) }
  }

  // MARK: Judging

  /// Takes note of an answer: right, unless one before was wrong or this one is.
  private mutating func note(_ command: String, wrong sentence: String?) {
    let standing: ProtocolFinding.Standing = sentence == nil ? .right : .wrong
    guard let known = report.findings.firstIndex(where: { $0.command == command }) else {
      report.findings.append(
        ProtocolFinding(command: command, standing: standing, because: sentence)
      )
      return
    }
    guard report.findings[known].standing != .wrong, sentence != nil else { return }
    report.findings[known] = ProtocolFinding(
      command: command,
      standing: .wrong,
      because: sentence
    )
  }

  /// Accuses the answer to a command unless something holds.
  mutating func expect(_ command: String, _ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { note(command, wrong: sentence()) }
  }

  /// Takes note that a command was not asked for lack of a capability.
  mutating func pass(over commands: [String], lacking capability: Capability) {
    for command in commands {
      report.findings.append(
        ProtocolFinding(
          command: command,
          standing: .notOffered,
          because: "it does not name the capability \"\(capability.rawValue)\""
        )
      )
    }
  }

  /// Takes note of why the conversation is over.
  mutating func end(_ ended: Ended) { report.trouble = ended.trouble.description }
}
