package import Programs
package import Traces

/// A third-party program under test, which answers the messages of the wire protocol.
///
/// The program's answers are converted to events. If the program ends, times out, or sends an
/// invalid answer, it receives no further message in this plan; the next plan starts it again.
package final class ExternalSystem: SystemUnderTest {
  package let capabilities: Set<Capability>
  /// The program's name and capabilities, as its answer to `hello` states them.
  package let hello: WireHello
  /// Starts the program.
  private let open: () throws(ProgramError) -> any WireChannel
  private var channel: (any WireChannel)?
  private var lastID = 0
  private var said: String?
  /// The reason why the program cannot continue the plan; `nil` if the program can continue.
  package private(set) var runFailure: RunFailure?
  private(set) var clock = PlanClock()
  /// The plan's header until it is sent to the program; `nil` afterwards.
  private var awaited: PlanHeader?
  var notes = ExternalNotes()

  /// Creates a system for a program whose answer to the message `hello` is already known.
  ///
  /// The first plan starts the program with `open`, even if it was started before for that answer.
  package init(
    _ hello: WireHello,
    open: @escaping () throws(ProgramError) -> any WireChannel
  ) {
    self.hello = hello
    self.open = open
    capabilities = hello.abilities
  }

  deinit { leave() }

  /// Launches a program, and asks for its name and capabilities.
  ///
  /// - Throws: ``RunFailure`` when the program gives no valid answer.
  package static func greet(
    _ open: () throws(ProgramError) -> any WireChannel
  ) throws(RunFailure) -> WireHello {
    let channel: any WireChannel
    do throws(ProgramError) { channel = try open() } catch {
      throw RunFailure(clause: error.clause)
    }
    defer { channel.close() }
    let (hello, _) = try greet(channel, id: 1)
    return hello
  }

  private static func greet(
    _ channel: any WireChannel,
    id: Int
  ) throws(RunFailure) -> (WireHello, said: String) {
    let message = WireCodec.encode(WireMessage(id: id, request: .hello))
    var said: String?
    func runFailure(_ clause: String) -> RunFailure {
      RunFailure(clause: clause, asked: message, said: said, errors: channel.errorsIfAny)
    }
    do throws(ProgramError) { said = try channel.exchange(message) } catch {
      throw runFailure(error.clause)
    }
    let reply: Result<WireHello, WireFailure>
    do throws(FormatError) { reply = try WireCodec.hello(said ?? "", id: id) } catch {
      throw runFailure(error.clause)
    }
    switch reply {
    case .success(let hello): return (hello, said ?? "")
    case .failure(let failure):
      throw runFailure("it answered \"hello\" with an error: \(failure.failure)")
    }
  }

  // MARK: Plans

  package func reset(
    _ header: PlanHeader,
    _ environment: SystemEnvironment
  ) throws(SystemFailure) {
    clock = environment.clock
    notes = ExternalNotes(header)
    runFailure = nil
    awaited = header
    // A plan without actors sends no reset.
    if !header.actors.isEmpty { try start() }
  }

  /// Sends the plan's header to the program, unless the program has received it.
  private func start() throws(SystemFailure) {
    guard let header = awaited else { return }
    awaited = nil
    if channel == nil { try launch() }
    switch try ask(.reset(header)) {
    case .success: return
    case .failure(let failure):
      throw give("it answered the request \"reset\" with an error: \(failure.failure)", asked: nil)
    }
  }

  /// Launches the program, and starts to number the messages to it from 1.
  private func launch() throws(SystemFailure) {
    do throws(ProgramError) {
      channel = try open()
    } catch {
      throw give(error.clause, asked: nil)
    }
    guard let channel else { return }
    do throws(RunFailure) {
      lastID = 1
      let (again, line) = try Self.greet(channel, id: lastID)
      said = line
      guard again == hello else {
        throw RunFailure(
          clause: "its answer to \"hello\" differs from the one after its first launch",
          said: line
        )
      }
    } catch {
      throw give(error)
    }
  }

  /// Does not end the program's process, because the next plan resets the program.
  package func close() {}

  private func leave() {
    channel?.close()
    channel = nil
  }

  package func recover() {
    guard capabilities.contains(.hooks), runFailure == nil else { return }
    // If the program does not disable its faults, its later passes fail; those failures are
    // reported.
    do throws(SystemFailure) { _ = try ask(.recover) } catch {}
  }

  package func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure) {
    try start()
    guard case .clock = action, !capabilities.contains(.clock) else {
      switch try ask(.command(action)) {
      case .success(let answer): try logSuccess(answer, of: action, &log)
      case .failure(let failed): try logFailure(failed, of: action, &log)
      }
      return
    }
  }

  // MARK: Messages

  private func ask(_ request: WireRequest) throws(SystemFailure) -> WireCodec.Reply {
    if let runFailure { throw runFailure.failure }
    guard let channel else { throw SystemFailure(.failed, "The program is not running.") }
    lastID += 1
    let message = WireMessage(id: lastID, request: request, now: clock.now)
    let line = WireCodec.encode(message)
    do throws(ProgramError) {
      let answer = try channel.exchange(line)
      said = answer
      return try read(answer, to: message)
    } catch {
      throw give(error.clause, asked: line)
    }
  }

  private func read(
    _ line: String,
    to message: WireMessage
  ) throws(ProgramError) -> WireCodec.Reply {
    do throws(FormatError) {
      return try WireCodec.reply(
        line,
        id: message.id,
        to: message.request,
        by: notes.writer(of: message.request),
        in: notes.header
      )
    } catch {
      throw ProgramError(error.clause)
    }
  }

  /// Marks the program as broken for the rest of the plan, and returns the failure to throw.
  func give(_ clause: String, asked: String?) -> SystemFailure {
    give(
      RunFailure(clause: clause, asked: asked, said: said, errors: channel?.errorsIfAny)
    )
  }

  private func give(_ runFailure: RunFailure) -> SystemFailure {
    var runFailure = runFailure
    let running = channel
    // The program is ended first: its output while it ends may explain the failure.
    leave()
    runFailure.errors = running?.errorsIfAny ?? runFailure.errors
    self.runFailure = runFailure
    said = nil
    return runFailure.failure
  }

  // MARK: Unsupported by programs

  package func snapshot() throws(SystemFailure) -> SystemSnapshot {
    throw SystemFailure(.unsupported, "An external program's memory cannot be saved.")
  }

  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    throw SystemFailure(.unsupported, "An external program's memory cannot be restored.")
  }

  package func describe(_ state: inout StateSketch) throws(SystemFailure) {
    throw SystemFailure(.unsupported, "An external program's memory cannot be compared.")
  }
}

extension WireChannel {
  /// The last output on standard error; `nil` if there was none.
  fileprivate var errorsIfAny: String? { lastErrors.isEmpty ? nil : lastErrors }
}

extension RunFailure {
  fileprivate var failure: SystemFailure { SystemFailure(.crashed, description) }
}

extension FormatError {
  fileprivate var clause: String { "\(problem). \(advice)".trimmedFullStop }
}

extension String {
  fileprivate var trimmedFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension ExternalSystem {
  /// The capabilities that no external program can have.
  ///
  /// `faults` and `powerOff` need control of the program's files. `belated` requires that the
  /// lab observes a replaced process, which reports no events. The protocol has no messages for
  /// `queries`, `readings` and `suspend`, and does not say what a program must answer about
  /// `relations`.
  package static let excludedCapabilities: Set<Capability> = [
    .faults, .powerOff, .belated, .queries, .readings, .suspend,
    .relations,
  ]
}

extension WireHello {
  /// The capabilities that both the program and this lab support.
  package var abilities: Set<Capability> {
    Set(capabilities.compactMap(Capability.init))
      .subtracting(ExternalSystem.excludedCapabilities)
  }
}
