import Foundation

/// The exit code and the output of a program.
package struct ProcessAnswer: Sendable {
  package let code: Int32
  /// The text on standard output and standard error.
  package let said: String

  /// Runs a program to its end, on a dedicated thread.
  ///
  /// - Throws: Any error of starting it.
  package init(
    of program: String,
    _ arguments: [String],
    environment: [String: String] = [:]
  ) async throws {
    self = try await onOwnThread { try Self(running: program, arguments, environment) }
  }

  private init(
    running program: String,
    _ arguments: [String],
    _ environment: [String: String]
  ) throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    code = process.terminationStatus
    said = String(decoding: data, as: UTF8.self)
  }
}
