import Programs
import Systems
import Testing
import Traces

@testable import HistoryLab

/// A server of ours in the same process, acting as a program under test.
final class ServedChannel: WireChannel {
  private let server: WireServer
  /// Changes a response in transit.
  private let change: (String) -> String
  let lastErrors = ""
  /// Lines of a response after the first.
  private var further: [String] = []

  init(_ server: WireServer, changing change: @escaping (String) -> String = { $0 }) {
    self.server = server
    self.change = change
  }

  func exchange(_ line: String) throws(ProgramError) -> String {
    let answer = change(server.answer(line))
    further += answer.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return further.removeFirst()
  }

  func receive(within time: Duration) throws(ProgramError) -> String? {
    further.isEmpty ? nil : further.removeFirst()
  }

  func close() {}
}

extension LabSystem {
  /// A system of ours behind the protocol, with its responses changed in transit.
  static func served(
    _ name: String,
    changing change: @escaping @Sendable (String) -> String = { $0 }
  ) throws -> LabSystem {
    let lab = try #require(LabSystem.named(name))
    let open = { @Sendable () throws(ProgramError) -> any WireChannel in
      ServedChannel(WireServer(serving: lab), changing: change)
    }
    let hello = try ExternalSystem.greet(open)
    return LabSystem(
      name: "external:served",
      sentence: "Ours behind the wire.",
      timestamps: hello.timestamps,
      capabilities: hello.abilities,
      make: { ExternalSystem(hello, open: open) }
    )
  }
}
