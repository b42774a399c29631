import Basics
import BenchCommands
import Checkers
package import Commands
import FileCommands
import HistoryBenchmarks
import HistorySystems
import Measuring
import Programs
import Stressing
package import Systems

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The entry point of the command's process.
package enum LabMain {
  /// Runs the command line of this process, and ends the process with the exit code.
  package static func run() async -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Benchmarks launch this command again as a helper process, such as one that writes to the store
    // that the benchmark watches.
    if let code = HelperProcess.run(arguments) { exit(code) }
    // A stress run launches this command again for each participant.
    if let code = await StressParticipant.run(arguments) { exit(code) }
    // A run of mutants launches this command again for each trial.
    if let code = GeneratedTrial.run(arguments) ?? DescribedTrial.run(arguments) { exit(code) }
    Interruption.install()
    let composition = Composition.current
    let command = composition.command.map(ShellCommand.current) ?? .plain
    let lab = Lab(tool: .historyLab, composition: composition, terminal: .standard(typing: command))
    let code = await lab.run(bytes: words())
    exit(code.rawValue)
  }

  /// Returns the arguments of the command line as raw bytes.
  ///
  /// `CommandLine.arguments` cannot be used, because it replaces invalid UTF-8.
  private static func words() -> [[UInt8]] {
    (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        UnsafeRawBufferPointer(start: word, count: strlen(word)).map(\.self)
      }
    }
  }
}

extension ToolSpec {
  /// The specification of the command `history-lab`.
  package static let historyLab = ToolSpec(
    name: commandName,
    sentence: "tests persistent history tracking, and measures what it costs.",
    verbs: [
      CheckVerb.spec, ReplayVerb.spec, WhyVerb.spec, BisectVerb.spec, ExploreVerb.spec,
      RepairVerb.spec, MutantsVerb.spec, StressVerb.spec, CampaignVerbs.group,
      .bench, ReportVerb.spec, HistoryListVerb.group, .inspect,
      .advise, .convert, ServeVerb.spec, ProtocolCheckVerb.group, .list,
    ],
    examples: [
      Example("check", "Runs 200 random plans on our tracker."),
      Example(
        "check --system article --seed 1",
        "Tests a published protocol, and shows the plans "
          + "that break it."
      ),
      Example("bench run --quick", "Measures what fetch, merge and purge cost, in under a minute."),
      Example("inspect Photos.sqlite", "Shows the contents of a store file's history."),
    ]
  )
}

/// The settings of a mutation run: the seeded bugs and the systems that contain them.
package struct MutantTrials: CompositionPart {
  /// The available seeded bugs.
  package var mutants = Mutant.all
  /// Creates the system under test for a seeded bug.
  var system: @Sendable (Mutant) -> LabSystem = { LabSystem($0) }
  /// The system without a bug, of which every mutant is an edited copy.
  var unedited = LabSystem.named("tracker") ?? LabSystem.all[0]
  /// The number of plans per random seed after which an undetected mutant counts as a survivor.
  var caseCountMax = 2_000

  package init() {}
}

extension Composition {
  /// The catalogue, the defaults and the settings with which this executable runs its verbs.
  package static var current: Composition {
    var composition = Composition()
    composition.catalogue[.conditions] =
      Catalogue.conditions
      + LabAdditions.currentConditions.map { .init($0.name, "A condition of this program.") }
    composition.catalogue[.checkers] = CheckerSuite.sentences(in: .all).map { .init($0, $1) }
    composition.catalogue[.faults] = Catalogue.faults
    composition.catalogue[.systems] =
      LabSystem.all.map { .init($0.name, $0.description) }
      + [.init(ExternalProgram.namePrefix + "COMMAND", LabSystem.externalSentence)]
    composition.catalogue[.metrics] = Catalogue.metrics
    composition.catalogue[.benchmarks] = Subjects.all.map { .init($0.name, $0.sentence) }
    composition.catalogue[.axes] = BenchmarkAxis.allCases.map { .init($0.name, $0.sentence) }
    composition.processors = min(ProcessorCount.available, 256)
    composition.command = HelperProcess.command
    composition[DesignReader.self] = DesignJudge().reader
    return composition
  }
}
