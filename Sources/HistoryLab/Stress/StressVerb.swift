import Foundation
import PersistentHistory
import Systems
import Traces

/// The options of `stress`.
struct StressOptions: Hashable, Sendable {
  /// The number of processes that write to the store from the start.
  var processes = 3
  /// The time during which the processes write.
  var duration = Duration.seconds(60)
  /// The mean number of kills per second.
  var killsPerSecond = 1.0
  /// The number of transactions that each process writes per second; 0 writes without pauses.
  var rate = 25.0
  /// The seeded bug to run with; `nil` for none.
  var mutant: String?
  /// The disk trouble; `nil` for a sound disk.
  var disk: StressDisk?
  var seed: UInt64 = 0
  /// The folder in which the run gets its own folder.
  var output = CommonOption.runsFolder
  /// Whether to print the results as JSON.
  var json = false

  /// The number of processes that join and retire while others write.
  var guests: Int { killsPerSecond > 0 ? min(max(processes / 3, 1), 6) : 0 }

  static let processesOption = Option(
    "processes",
    "N",
    in: 2...48,
    default: 3,
    "How many processes share the store; each writes, and follows what the others write."
  )
  static let minutes = Option(
    "minutes",
    CheckOptions.minutes.reader,
    defaultText: "1",
    "Writes for M minutes; fractions are allowed."
  )
  static let seconds = Option(
    "seconds",
    .decimal("S", 0.1...604_800),
    "Writes for S seconds instead."
  )
  static let kills = Option(
    "kills-per-second",
    .decimal("R", 0...20),
    default: 1,
    defaultText: "1",
    "How many processes are killed a second, stopped or replaced in proportion; 0 leaves them alone."
  )
  static let rateOption = Option(
    "rate",
    .decimal("R", 0...100_000),
    default: 25,
    defaultText: "25",
    "How many transactions each process writes a second; 0 is as many as it can."
  )
  static let mutantOption = Option(
    "mutant",
    .text("NAME", "the name of a seeded bug"),
    "Runs the processes with a seeded bug, which must be found."
  )
  static let diskOption = Option(
    "disk",
    .words("KIND", of: StressDisk.allCases.map(\.rawValue)),
    defaultText: "sound",
    "Lets the store's disk be full for a while (full), or its calls fail (failing), again and again."
  )

  init() {}

  /// - Throws: A usage error if a folder cannot be used, or the mutant is unknown.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    processes = try arguments.required(Self.processesOption)
    let minutes = arguments.value(Self.minutes) ?? 1
    duration = .seconds(arguments.value(Self.seconds) ?? minutes * 60)
    killsPerSecond = try arguments.required(Self.kills)
    rate = try arguments.required(Self.rateOption)
    mutant = try arguments.value(Self.mutantOption).map { (name) throws(LabError) in
      try Self.mutant(name, in: composition)
    }
    disk = try arguments.value(Self.diskOption).flatMap { (words) throws(LabError) in
      guard words.count == 1 else { throw .usage("--disk takes one kind of trouble.") }
      return StressDisk(rawValue: words[0])
    }
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    output = try arguments.required(CommonOption.output)
    try FilePath.checkWritableFolder(output, for: "--output")
    json = arguments.isSet(CommonOption.json)
  }

  /// Returns the name of a known mutant without its prefix.
  private static func mutant(
    _ text: String,
    in composition: Composition
  ) throws(LabError) -> String {
    let known = try composition.requiredMutants().map(\.name)
    let isWhole = text.hasPrefix(Mutant.prefix)
    let name = isWhole ? String(text.dropFirst(Mutant.prefix.count)) : text
    guard known.contains(name) else {
      let hint = NearestWord.hint(for: name, among: known)
      throw .usage("unknown mutant \(name.quoted).\(hint)", try: "list systems")
    }
    return name
  }
}

extension StressOptions {
  static let spec = VerbSpec(
    name: "stress",
    sentence: "Kills real processes that share one store file, and checks what all of them did.",
    options: [
      processesOption.spec, minutes.spec, seconds.spec, kills.spec, rateOption.spec,
      mutantOption.spec, diskOption.spec, CommonOption.seed.spec, CommonOption.output.spec,
      CommonOption.json.spec,
    ],
    exclusive: [["minutes", "seconds"]],
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
  )
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
