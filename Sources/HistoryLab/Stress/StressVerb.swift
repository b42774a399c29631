import Basics
import Foundation
import PersistentHistory
import Systems
import Traces

/// The options of `stress`.
struct StressOptions: VerbOptions {
  @Option(
    "processes",
    .integer("N", 2...48),
    "How many processes share the store; each writes, and follows what the others write."
  )
  var processes = 3
  @Option("minutes", .minutes, "Writes for M minutes; fractions are allowed.")
  private var minutes = 1.0
  @Option("seconds", .decimal("S", 0.1...604_800), "Writes for S seconds instead.")
  private var seconds: Double?
  @Option(
    "kills-per-second",
    .decimal("R", 0...20),
    "How many processes are killed a second, stopped or replaced in proportion; 0 leaves them alone."
  )
  var killsPerSecond = 1.0
  @Option(
    "rate",
    .decimal("R", 0...100_000),
    "How many transactions each process writes a second; 0 is as many as it can."
  )
  var rate = 25.0
  /// The seeded bug to run with, without its prefix; `nil` for none.
  @Option(
    "mutant",
    .text("NAME", "the name of a seeded bug"),
    "Runs the processes with a seeded bug, which must be found."
  )
  var mutant: String?
  @Option(
    "disk",
    .choice("KIND"),
    shown: "sound",
    "Lets the store's disk be full for a while (full), or its calls fail (failing), again and again."
  )
  var disk: StressDisk?
  @Option(.seed) var seed: UInt64
  @Option(.output) var output: String
  @Flag(.json) var json

  /// The time during which the processes write.
  var duration: Duration { .seconds(seconds ?? minutes * 60) }

  /// The number of processes that join and retire while others write.
  var guests: Int { killsPerSecond > 0 ? min(max(processes / 3, 1), 6) : 0 }

  var exclusive: [[String]] { [["minutes", "seconds"]] }

  /// - Throws: A usage error if a folder cannot be used, or the mutant is unknown.
  mutating func validate(in composition: Composition) throws(LabError) {
    if let name = mutant.map(Mutant.bareName) {
      let known = try composition.requiredMutants().map(\.name)
      guard known.contains(name) else {
        throw composition.unknown("mutant", name, known, try: "list systems")
      }
      mutant = name
    }
    try FilePath.checkWritableFolder(output, for: "--output")
  }
}

extension StressVerb {
  static let spec = VerbSpec(
    name: "stress",
    sentence: "Kills real processes that share one store file, and checks what all of them did.",
    examples: [
      Example("stress", "Three processes on one store file for a minute, one killed each second."),
      Example(
        "stress --processes 6 --minutes 10 --kills-per-second 2",
        "More of them, and longer."
      ),
      Example(
        "stress --seconds 20 --mutant record-before-merge",
        "A seeded bug, which must be found."
      ),
      Example("stress --seconds 5 --seed 1 --json", "A short run, for machines."),
    ]
  ) { StressVerb(options: $0, composition: $1, terminal: $2) }
}

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
