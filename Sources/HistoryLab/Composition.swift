import Basics
import Checkers
import HistoryBenchmarks
import Measuring
import Systems

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The catalogue, defaults and factories that the verbs of the command use.
struct Composition: Sendable {
  /// The named systems, checkers, conditions, faults, metrics and benchmarks of this build.
  var catalogue = Catalogue()
  /// The default number of plans that run at the same time.
  var processors = 1
  /// The history sizes that a quick benchmark run measures.
  var quickHistorySizes = BenchmarkRun.quickSizes
  /// The history sizes that a full benchmark run measures.
  var historySizes = BenchmarkRun.allSizes
  /// Whether a benchmark run first measures equal work, to estimate the noise of its times.
  var checksNoise = true
  /// The available seeded bugs.
  var mutants = Mutant.all
  /// Creates the system under test for a seeded bug.
  var mutantSystem: @Sendable (Mutant) -> LabSystem = { LabSystem($0) }
  /// The number of plans of one seed after which an undetected mutant counts as survived.
  var mutantCaseCountMax = 2_000
  /// The path of the command's executable, which is launched again for helper processes.
  ///
  /// `nil` in a process that runs another executable, such as the tests.
  var command: String?
  /// Draws the seed of a run without `--seed`.
  var drawSeed: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

  /// The composition of this executable.
  static var current: Composition {
    var composition = Composition()
    composition.catalogue[.conditions] = Catalogue.conditions
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
    return composition
  }
}

extension Composition {
  /// Checks that a name is a known system or holds the command line of an external one.
  ///
  /// - Throws: a usage error that suggests the nearest name.
  func checkSystem(_ name: String) throws(LabError) {
    if let command = ExternalProgram.command(in: name) {
      guard command.allSatisfy(\.isWhitespace) else { return }
      throw .usage(
        "\(name.quoted) names no program. Write its command line after \(ExternalProgram.namePrefix)"
      )
    }
    let known = catalogue.names(.systems)
    guard !known.contains(name) else { return }
    throw unknown("system", name, known, try: "list systems")
  }

  /// Checks that a text is the beginning of a benchmark's name.
  ///
  /// - Throws: a usage error that suggests the nearest name.
  func checkBenchmark(_ name: String) throws(LabError) {
    let known = catalogue.names(.benchmarks)
    guard !known.contains(where: { $0.begins(with: name) }) else { return }
    throw unknown("benchmark", name, known, try: "bench list")
  }

  /// Checks that a text names a condition in which benchmarks are measured.
  ///
  /// - Throws: a usage error that suggests the nearest name.
  func checkAxis(_ name: String) throws(LabError) {
    let known = [BenchRunOptions.baseAxis] + catalogue.names(.axes)
    guard !known.contains(name) else { return }
    throw unknown("axis", name, known, try: "bench list")
  }

  /// Returns the error for an unknown name, which suggests the nearest known one.
  func unknown(
    _ kind: String,
    _ name: String,
    _ known: [String],
    try verb: String
  ) -> LabError {
    let hint = NearestWord.hint(for: name, among: known)
    return .usage("unknown \(kind) \(name.quoted).\(hint)", try: verb)
  }
}
