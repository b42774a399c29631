import Basics
import Commands
import Foundation
import Programs
import Reporting

/// A git repository on this machine, which the command `git` reads and changes.
package struct GitRepository: Sendable {
  /// The root folder of the work tree.
  package let root: String

  package init(root: String) { self.root = root }

  /// Finds the repository that contains a folder.
  ///
  /// - Throws: a usage error when no repository contains it, and ``Interrupted``.
  package init(containing folder: String) throws {
    let outcome = try OuterCommand.output(of: [
      "git", "-C", folder, "rev-parse", "--show-toplevel",
    ])
    guard outcome.code == 0 else {
      throw LabError.usage(
        "git finds no repository in \(folder.quoted). Change to a folder of a clone."
      )
    }
    root = outcome.text
  }

  /// Returns the full hash of a commit, which is named by a hash, a branch or a tag.
  ///
  /// - Throws: a usage error when there is no such commit, and ``Interrupted``.
  package func fullName(of commit: String) throws -> String {
    let revision = "\(commit)^{commit}"
    let outcome = try run(["rev-parse", "--verify", "--quiet", revision])
    guard outcome.code == 0 else {
      throw LabError.usage(
        "there is no commit \(commit.quoted) in \(root.quoted). Fetch it, or give another."
      )
    }
    return outcome.text
  }

  /// Runs a git command that only reads, and returns its exit code and its trimmed output.
  package func run(_ words: [String]) throws -> (code: Int32, text: String) {
    try OuterCommand.output(of: ["git", "-C", root] + words)
  }
}

/// Runs other programs, such as git, with the standard error of this process.
enum OuterCommand {
  static let errors = STDERR_FILENO

  /// Runs a command with its output on standard error.
  ///
  /// - Throws: a lab error when the command cannot be run or its exit code is not 0;
  ///   ``Interrupted`` after SIGINT or SIGTERM.
  static func run(_ words: [String], isCleaningUp: Bool = false) throws {
    let code = try start(words, output: errors, isCleaningUp: isCleaningUp)
    guard code != 0 else { return }
    throw LabError.lab("\(sentence(words, code)); see its output above.")
  }

  /// Returns a clause that states how a command ended.
  static func sentence(_ words: [String], _ code: Int32) -> String {
    "\(words.map(\.shellQuoted).joined(separator: " ")) ended with exit code \(code)"
  }

  /// Runs a command and returns its exit code and its output without white space around it.
  static func output(of words: [String]) throws -> (code: Int32, text: String) {
    // A file takes any amount of output, unlike a pipe that is read only after the end.
    guard let file = tmpfile() else {
      throw LabError.lab("no temporary file can be created: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    let code = try start(words, output: fileno(file))
    lseek(fileno(file), 0, SEEK_SET)
    let data = try FileHandle(fileDescriptor: fileno(file)).readToEnd() ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    return (code, text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Runs a command and returns its exit code.
  ///
  /// The command ends when this process ends, even if this process crashes. SIGINT and SIGTERM end
  /// the command too, unless `isCleaningUp` is `true`.
  static func start(
    _ words: [String],
    output: Int32,
    isCleaningUp: Bool = false
  ) throws -> Int32 {
    let line = words.map(\.shellQuoted).joined(separator: " ")
    let code: Int32?
    do throws(ProgramError) {
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
