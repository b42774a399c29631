import Basics
import Campaigns
import Commands
import Foundation
import Programs

/// Runs the command line of a task as a process of its own.
///
/// The process ends when the worker ends, even if the worker crashes or is killed.
struct CampaignCommands: CompositionPart {
  /// Runs a shell command line with its output in a file.
  var shell:
    @Sendable (_ line: String, _ output: Int32, _ isWanted: () -> Bool) throws(CampaignError) ->
      CommandExit = {
        (line, output, isWanted) throws(CampaignError) in
        do throws(ProgramError) {
          let code = try KeptCommand.run(line, output: output, whileWanted: isWanted)
          return code.map(CommandExit.code) ?? .unwanted
        } catch { throw .failed("a task could not be started: \(error.clause)") }
      }

  /// Runs a task's command line; the command's output goes to files in the task's output folder.
  func run(
    _ words: [String],
    output: String,
    jobs: Int,
    _ composition: Composition,
    _ isWanted: () -> Bool
  ) throws(CampaignError) -> CommandExit {
    guard let executable = composition.command else {
      throw .usage(
        "this process is not history-lab: a campaign launches the executable history-lab for each task. "
          + "Run that executable."
      )
    }
    var line = [executable] + words
    if words.first != "replay" {
      line += ["--output", output]
      if ["check", "explore"].contains(words.first) { line.append("--sample-states") }
      if words.first != "stress" { line += ["--jobs", String(jobs)] }
    }
    // Slices of an exploration exchange hashes of states, some of which consist of Swift's hash values.
    let settings = words.contains("--slices") ? "SWIFT_DETERMINISTIC_HASHING=1 " : ""
    let text = settings + line.map(\.shellQuoted).joined(separator: " ")
    let file = open("\(output)/output.txt", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      throw .failed("\(output.quoted) cannot be written. Check its permissions and free space.")
    }
    defer { close(file) }
    return try shell("\(text) 2>\("\(output)/errors.txt".shellQuoted)", file, isWanted)
  }
}
