import Foundation

/// What a program of the project's answers, with all that it prints.
package struct ProcessAnswer: Sendable {
  /// Its exit code.
  package let code: Int32
  /// What it said on its standard output and its standard error.
  package let said: String

  /// Runs a program to its end.
  ///
  /// - Throws: what keeps it from being started.
  package init(of program: String, _ arguments: [String]) throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    code = process.terminationStatus
    said = String(decoding: data, as: UTF8.self)
  }
}
