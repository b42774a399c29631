import Foundation
import PersistentHistory
import Traces

/// Lets real processes write to one store, kills them, and checks the invariants of the tracker.
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
    let scratch = try folder.makeScratch()
    let result = try stress(command, scratch, folder)
    try folder.write("stress.json", try result.json() + "\n")
    if result.verdict == "valid" || result.isInterrupted {
      try scratch.remove()
    } else {
      try scratch.keep(as: "left")
    }
    try folder.writePage()
    try folder.finish(verdict: result.verdict, because: result.because)
    if options.json {
      terminal.print(try result.json())
    } else {
      StressText(terminal: terminal).print(result)
      folder.printPlace(on: terminal)
    }
    if result.verdict == "invalid" {
      let file = "\(folder.shownPath)/left/store/shared.store".shellQuoted
      terminal.log(
        "What the processes left is kept; look at it with: "
          + terminal.command.line("inspect \(file)")
      )
    }
    return switch result.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  private func stress(
    _ command: String,
    _ scratch: ScratchFolder,
    _ folder: RunOutput
  ) throws(LabError) -> StressResult {
    do {
      let stores = try scratch.makeFolder("store")
      let disk = options.disk == .full ? FullDisk(over: stores, seed: options.seed) : nil
      let session = try StressSession(
        options,
        command: command,
        path: stores + "/shared.store",
        traces: try scratch.makeFolder("traces"),
        disk: disk
      )
      let ran = Result { try session.run(terminal) }
      try disk?.dissolve()
      do { try ran.get() } catch is Interrupted { return session.interruptedResult }
      var result = session.result
      result.troubles = session.troubleSentences
      var checks = StressChecks(
        session.header,
        system: options.mutant.map { "mutant/\($0)" } ?? "tracker",
        versions: folder.versions
      )
      let excerpt = try checks.run(
        session.lanes(session.header),
        origin: session.origin,
        into: &result
      )
      if let excerpt { try folder.write("trace-excerpt.jsonl", excerpt) }
      return result
    } catch let error as LabError {
      throw error
    } catch {
      throw .lab("the processes could not be run on a store in \(scratch.path): \(error)")
    }
  }
}
