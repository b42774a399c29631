import Basics
import BenchCommands
import Commands
import Foundation
import HistoryTypes
import Programs
import Reporting

/// Builds the commits of a bisection and runs their executables, each in a separate process.
///
/// The processes end when this process ends, even if it crashes or is killed.
struct BisectCommands: CompositionPart {
  /// Returns the path of a commit's executable, which is built if necessary.
  ///
  /// The closure throws ``CommitBuild/Failure`` if the commit does not build.
  var executable:
    @Sendable (_ commit: Commit, _ root: String, _ terminal: Terminal) throws -> String = {
      (commit, root, terminal) in
      try CommitBuild(root: root, terminal: terminal).executable(of: commit.hash)
    }
  /// Runs a shell command line with its output in a file, and returns its exit code.
  ///
  /// The exit code is 128 plus the signal's number if a signal ended the command. The result is
  /// `nil` after an interruption.
  var shell: @Sendable (_ line: String, _ output: Int32) throws(ProgramError) -> Int32? = {
    (line, output) throws(ProgramError) in
    try KeptCommand.run(line, output: output) { !Interruption.isRequested }
  }
}

/// The question that each commit's build answers.
enum BisectQuestion: Sendable {
  /// Whether the plan in a file breaks an invariant.
  case replay(file: String)
  /// The value of a benchmark's count.
  case count(ExactCount)
}

/// The result of running the plan or benchmark of the bisection on a commit's build.
enum BisectAnswer: Equatable, Sendable {
  /// The plan breaks no invariant.
  case holds
  /// The plan breaks an invariant.
  case broken
  case count(Double)
  /// The commit has no answer, for the given reason.
  case none(because: String)
}

/// Builds commits, and runs the plan or benchmark of the bisection on each build.
struct BisectTrial {
  let question: BisectQuestion
  /// The root folder of the repository.
  let root: String
  /// The folder for the output files of the builds.
  let folder: String
  let commands: BisectCommands
  let terminal: Terminal

  /// Builds a commit, runs the plan or benchmark on this build, and returns the result.
  ///
  /// - Throws: a lab error when the commit cannot be tried on this machine, and ``Interrupted``.
  func answer(of commit: Commit) throws -> BisectAnswer {
    let executable: String
    do { executable = try commands.executable(commit, root, terminal) } catch is CommitBuild.Failure
    { return .none(because: "it does not build") }
    switch question {
    case .replay(let file):
      let code = try run([executable, "replay", file])
      switch code {
      case ExitCode.good.rawValue: return .holds
      case ExitCode.violation.rawValue: return .broken
      default: return .none(because: ending("replay", code))
      }
    case .count(let count):
      let code = try run([executable] + count.words(output: folder + "/runs"))
      guard code == ExitCode.good.rawValue else {
        return .none(because: ending("bench run", code))
      }
      do throws(ResultsFileError) {
        if let value = try count.value(in: ResultsFile.read(path: output)) { return .count(value) }
        return .none(because: "its benchmarks do not have this count")
      } catch { return .none(because: "its results cannot be read: \(error.reason)") }
    }
  }

  private var output: String { folder + "/output.txt" }
  private var errors: String { folder + "/errors.txt" }

  /// Runs a command with its output and its errors in files.
  private func run(_ words: [String]) throws -> Int32 {
    let file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw LabError.lab(
        "\(output.quoted) cannot be written: \(String(cString: strerror(errno)))."
      )
    }
    defer { close(file) }
    let line = words.map(\.shellQuoted).joined(separator: " ") + " 2>\(errors.shellQuoted)"
    let code: Int32?
    do throws(ProgramError) { code = try commands.shell(line, file) } catch {
      throw LabError.lab("\(words[0]) could not be run: \(error.clause)")
    }
    guard let code else { throw Interrupted() }
    return code
  }

  /// Returns a clause that states how a command without a usable result ended.
  ///
  /// The clause includes the last line that the command wrote to standard error.
  private func ending(_ verb: String, _ code: Int32) -> String {
    let how = code > 128 ? "was ended by signal \(code - 128)" : "ended with exit code \(code)"
    let text = FileManager.default.contents(atPath: errors).map {
      String(decoding: $0, as: UTF8.self)
    }
    let last = text?.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
    guard let last else { return "\(verb) \(how)" }
    let name = ToolSpec.commandName + ": "
    return "\(verb) \(how): \(last.hasPrefix(name) ? last.dropFirst(name.count) : last)"
  }
}
