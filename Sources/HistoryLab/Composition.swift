import Basics
import Checkers
import Commands
import FileCommands
import HistoryBenchmarks
import HistorySystems
import Measuring
import Programs
import Systems

/// The settings of a mutation run: the seeded bugs and the systems that contain them.
struct MutantTrials: CompositionPart {
  /// The available seeded bugs.
  var mutants = Mutant.all
  /// Creates the system under test for a seeded bug.
  var system: @Sendable (Mutant) -> LabSystem = { LabSystem($0) }
  /// The system without a bug, of which every mutant is an edited copy.
  var unedited = LabSystem.named("tracker") ?? LabSystem.all[0]
  /// The number of plans for each random seed that a mutant passes before it counts as a survivor.
  var caseCountMax = 2_000
}

extension Composition {
  /// The composition of this executable.
  static var current: Composition {
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
