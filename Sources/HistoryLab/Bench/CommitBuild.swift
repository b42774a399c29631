import Foundation
import Systems

/// Builds the command of a commit in a worktree with its own scratch path.
///
/// Later calls for the same commit reuse the executable.
struct CommitBuild {
  /// The root folder of the package.
  let root: String
  let terminal: Terminal

  /// Returns the path of a commit's executable and builds it if necessary.
  ///
  /// - Throws: a usage error when the commit does not exist, a lab error when the build fails, and
  ///   ``Interrupted``.
  func executable(of commit: String) throws -> String {
    let name = try fullName(of: commit)
    let folder = "\(root)/.build/commits/\(name)"
    let executable = folder + "/build/release/history-lab"
    if FilePath.state(of: executable) == .file { return executable }
    terminal.log("Building \(commit) (\(name.prefix(12))) in \(folder)")
    let source = folder + "/source"
    // The worktree of an earlier build that was killed.
    if FilePath.state(of: source) == .folder { try remove(source) }
    try run(["git", "-C", root, "worktree", "add", "--force", "--force", "--detach", source, name])
    let result = Result {
      try run([
        "swift", "build", "-c", "release", "--product", "history-lab", "--package-path", source,
        "--scratch-path", folder + "/build",
      ])
    }
    try remove(source)
    try result.get()
    return executable
  }

  private func remove(_ worktree: String) throws {
    // `--force` twice: git leaves a worktree locked if it is killed while creating it.
    let words = ["git", "-C", root, "worktree", "remove", "--force", "--force", worktree]
    try run(words, isCleaningUp: true)
  }

  private func fullName(of commit: String) throws -> String {
    let output = Pipe()
    let revision = "\(commit)^{commit}"
    let words = ["git", "-C", root, "rev-parse", "--verify", "--quiet", revision]
    guard try start(words, output: output) == 0 else {
      throw LabError.usage("there is no commit \(commit.quoted) in \(root.quoted).")
    }
    try output.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func run(_ words: [String], isCleaningUp: Bool = false) throws {
    let code = try start(words, output: nil, isCleaningUp: isCleaningUp)
    guard code != 0 else { return }
    throw LabError.lab(
      "\(words.map(\.shellQuoted).joined(separator: " ")) ended with exit code \(code); its own "
        + "words stand above."
    )
  }

  /// Runs a command and waits for its end; without `output` it writes to standard error.
  ///
  /// The command ends with this process, however that ends. An interruption ends it too, unless
  /// `isCleaningUp` is `true`.
  private func start(
    _ words: [String],
    output: Pipe?,
    isCleaningUp: Bool = false
  ) throws -> Int32 {
    let line = words.map(\.shellQuoted).joined(separator: " ")
    let output = output?.fileHandleForWriting.fileDescriptor ?? STDERR_FILENO
    let code: Int32?
    do throws(WireTrouble) {
      code = try KeptCommand.run(line, output: output) {
        isCleaningUp || !Interruption.isRequested
      }
    } catch {
      throw LabError.lab("\(words[0]) could not be run: \(error.clause)")
    }
    guard let code else { throw Interrupted() }
    return code
  }
}
