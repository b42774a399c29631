import Basics
import Commands
import Simulation
import Systems
import Traces

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct ServeOptions: VerbOptions {
  @Option("system", .system, "The system that performs the commands.") var system = "tracker"

  /// - Throws: A usage error if the system is unknown.
  func validate(in composition: Composition) throws(LabError) {
    let known = composition.catalogue.names(.systems)
    guard known.contains(system) else {
      throw composition.unknown("system", system, known, try: "list systems")
    }
  }
}

extension ServeVerb {
  static let spec = VerbSpec(
    name: "serve",
    sentence: "Performs commands from standard input, one per line, on a system of this build.",
    examples: [
      Example("serve", "Serves our tracker, as a program for external:COMMAND."),
      Example("serve --system greatest-cursor", "Serves a design that loses updates."),
      Example(
        "check --system \"external:history-lab serve\" --seed 1",
        "Runs the lab and the tracker as two processes."
      ),
    ]
  ) { (options, _, terminal) in ServeVerb(options: options, terminal: terminal) }
}

/// Answers commands on standard input, one per line.
struct ServeVerb: Verb {
  let options: ServeOptions
  let terminal: Terminal
  /// The file descriptor from which commands are read; the default is standard input.
  var input: Int32 = 0

  func run() async throws(LabError) -> ExitCode {
    guard let system = LabSystem.named(options.system) else {
      throw .usage(
        "there is no system \(options.system.quoted) in this build.",
        try: "list systems"
      )
    }
    let server = WireServer(serving: system)
    var lines = LineInput(input)
    while !server.hasEnded, terminal.outputFailure == nil, let line = lines.next() {
      switch line {
      case .text(let text): terminal.print(server.answer(text))
      case .unreadable: terminal.print(Self.refusal("the line is not UTF-8"))
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
    // The store files are in this process, where the client cannot make file calls fail.
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

/// A reader of lines from an open file, with a limit on their length.
struct LineInput {
  /// A line, or the reason why the input cannot be returned as a line.
  enum Line: Hashable {
    case text(String)
    /// The line is not valid UTF-8.
    case unreadable
    /// The line is longer than the limit; its remaining bytes are skipped.
    case tooLong
  }
  private let descriptor: Int32
  private let byteCountMax: Int
  private var bytes: [UInt8] = []
  private var isPassingOver = false

  init(_ descriptor: Int32, byteCountMax: Int = 16 << 20) {
    self.descriptor = descriptor
    self.byteCountMax = byteCountMax
  }

  /// Waits for the next line; returns `nil` at the end of input or on an interruption.
  ///
  /// A last line without a newline is ignored.
  mutating func next() -> Line? {
    var searched = 0
    while true {
      if let stop = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = bytes[..<stop]
        defer {
          bytes.removeSubrange(...stop)
          isPassingOver = false
        }
        if isPassingOver || line.count > byteCountMax { return .tooLong }
        return String(validating: line, as: UTF8.self).map(Line.text) ?? .unreadable
      }
      searched = bytes.count
      if bytes.count > byteCountMax {
        isPassingOver = true
        bytes = []
        searched = 0
      }
      guard read() else { return nil }
    }
  }

  /// Reads the available bytes; returns `false` at the end of input or on an interruption.
  private mutating func read() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, 250) <= 0 {
      if Interruption.isRequested { return false }
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = systemRead(descriptor, &buffer, buffer.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN }
    bytes += buffer.prefix(count)
    return count > 0
  }
}

/// Calls the system function `read`, which the method of the same name hides.
private func systemRead(
  _ file: Int32,
  _ start: UnsafeMutableRawPointer,
  _ count: Int
) -> Int {
  read(file, start, count)
}
