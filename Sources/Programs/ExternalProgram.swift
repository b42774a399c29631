/// The command and the limits of a program under test.
package struct ExternalProgram: Hashable, Sendable {
  /// The command, which `/bin/sh -c` runs.
  package var command: String
  /// The time limit for an answer.
  package var timeout: Duration
  /// The maximum length of a line of output, in bytes (default: 16 MiB).
  package var lineByteCountMax = 16 << 20
  /// The time that the program may take to end after its input is closed (default: 1 second).
  package var grace = Duration.seconds(1)

  /// The default time limit for an answer, in seconds.
  package static let secondsByDefault = 10.0

  package init(_ command: String, timeout: Duration = .seconds(secondsByDefault)) {
    self.command = command
    self.timeout = timeout
  }

  /// The prefix of the name of an external system; the command follows it.
  package static let namePrefix = "external:"

  /// Returns the command in a system's name, or `nil` if the name is of another kind of system.
  package static func command(in name: String) -> String? {
    guard name.hasPrefix(namePrefix) else { return nil }
    return String(name.dropFirst(namePrefix.count))
  }
}
