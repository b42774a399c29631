import Foundation

/// Lets real processes write to one store, and tells whether they agree in the end.
struct StressVerb: Verb {
  let options: StressOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    guard let command = composition.command else {
      throw .lab("this process is not the command history-lab, which stress starts again.")
    }
    let folder = try RunOutput(
      "stress",
      seed: options.seed,
      output: options.output,
      outputIsDefault: options.output == CommonOption.runsFolder
    )
    let scratch = folder.path + "/scratch"
    let result = try await stress(command, scratch)
    try folder.write("stress.json", try result.json() + "\n")
    try folder.finish(verdict: result.verdict, because: result.because)
    if options.json {
      terminal.print(try result.json())
    } else {
      StressText(terminal: terminal).print(result)
      terminal.print("Run: \(folder.path)")
    }
    if result.verdict == "invalid" {
      let file = "\(scratch)/shared.store".shellQuoted
      terminal.log("What the processes left is kept; look at it with: history-lab inspect \(file)")
    } else {
      try remove(scratch)
    }
    return switch result.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  private func stress(
    _ command: String,
    _ scratch: String
  ) async throws(LabError) -> StressResult {
    do {
      try FileManager.default.createDirectory(
        atPath: scratch,
        withIntermediateDirectories: true
      )
      return try await StressSession(
        options: options,
        command: command,
        path: scratch + "/shared.store",
        terminal: terminal
      ).run()
    } catch {
      throw .lab("the processes could not be run on a store in \(scratch): \(error)")
    }
  }

  private func remove(_ scratch: String) throws(LabError) {
    do { try FileManager.default.removeItem(atPath: scratch) } catch {
      throw .lab("\(scratch) could not be removed: \(error.localizedDescription)")
    }
  }
}
