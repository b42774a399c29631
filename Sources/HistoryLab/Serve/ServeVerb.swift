import Simulation
import Systems
import Traces

/// Answers commands on standard input, one per line.
struct ServeVerb: Verb {
  let options: ServeOptions
  let terminal: Terminal
  /// The file descriptor of the input; the default is standard input.
  var input: Int32 = 0

  func run() async throws(LabError) -> ExitCode {
    guard let system = LabSystem.named(options.system) else {
      throw .usage("there is no system \(options.system.quoted) in this build.")
    }
    let server = WireServer(serving: system)
    var lines = LineInput(input)
    while !server.hasEnded, terminal.outputFailure == nil, let line = lines.next() {
      switch line {
      case .text(let text): terminal.print(server.answer(text))
      case .unreadable: terminal.print(Self.refusal("the line is no UTF-8"))
      case .tooLong: terminal.print(Self.refusal("the line is too long"))
      }
    }
    return .good
  }

  private static func refusal(_ problem: String) -> String {
    let advice = "Send one JSON object a line, in UTF-8."
    return WireCodec.encode(
      WireFailure(SystemFailure(.failed, "\(problem). \(advice)")),
      id: nil
    )
  }
}

extension WireServer {
  /// Creates a server for a system of this build with its stores in memory.
  convenience init(serving lab: LabSystem) {
    let place = StorePlace.heap()
    let system = lab.make()
    // The files are in this process, where the other side cannot make a call fail.
    let words = lab.capabilities.subtracting([.faults, .powerOff]).map(\.rawValue)
    let hello = WireHello(
      system: lab.name,
      version: ToolSpec.version,
      capabilities: words.sorted(),
      timestamps: lab.timestamps
    )
    self.init(system, hello, clock: place.clock) { header throws(SystemFailure) in
      try place.reset(system, header)
    }
  }
}
