/// How a program under test is started, and how long it may take.
package struct ExternalProgram: Hashable, Sendable {
  /// What `/bin/sh -c` runs.
  package var command: String
  /// How long an answer is waited for.
  package var timeout: Duration
  /// The longest line that it may say, in bytes.
  package var lineByteCountMax = 16 << 20
  /// How long it may take to end once its standard input is closed.
  package var grace = Duration.seconds(1)

  /// How long an answer is waited for unless someone says otherwise, in seconds.
  package static let secondsByDefault = 10.0

  package init(_ command: String, timeout: Duration = .seconds(secondsByDefault)) {
    self.command = command
    self.timeout = timeout
  }

  /// The name that such a system goes by, with its command after it.
  package static let namePrefix = "external:"

  /// The command within a system's name, or nothing when it is the name of another system.
  package static func command(in name: String) -> String? {
    guard name.hasPrefix(namePrefix) else { return nil }
    return String(name.dropFirst(namePrefix.count))
  }
}
