import Foundation

/// A program that a test runs, without blocking a thread of the pool.
package enum ProgramOutput {
  /// What a program wrote to both outputs, and its exit code.
  package static func text(
    of program: String,
    _ words: [String],
    environment: [String: String]? = nil,
    in folder: String? = nil
  ) async throws -> (text: String, code: Int32) {
    let said = FileManager.default.temporaryDirectory
      .appendingPathComponent("said-\(UUID().uuidString)")
    try Data().write(to: said)
    let file = try FileHandle(forWritingTo: said)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = words
    if let environment { process.environment = environment }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = file
    let code = try await withCheckedThrowingContinuation { waiting in
      process.terminationHandler = { waiting.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { waiting.resume(throwing: error) }
    }
    try file.close()
    let text = String(decoding: try Data(contentsOf: said), as: UTF8.self)
    try FileManager.default.removeItem(at: said)
    return (text, code)
  }
}
