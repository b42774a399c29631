import Checkers
import HistoryBenchmarks
import Systems

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the command is put together from: the place where the rooms meet.
struct Composition: Sendable {
  /// Everything with a name that this build really has.
  var catalogue = Catalogue()
  /// How many plans run at the same time unless someone says otherwise.
  var processors = 1
  /// The sizes of history that a quick run of the benchmarks measures.
  var quickHistorySizes = BenchmarkRun.quickSizes
  /// The sizes that a whole run measures.
  var historySizes = BenchmarkRun.allSizes
  /// Whether a run of the benchmarks measures equal work first, to tell how far it can be trusted.
  var checksNoise = true
  /// The seeded bugs that can be tried.
  var mutants = Mutant.all
  /// Makes the system under test of a seeded bug.
  var mutantSystem: @Sendable (Mutant) -> LabSystem = { LabSystem($0) }
  /// After so many plans of one seed a mutant has survived it.
  var mutantCaseCountMax = 2_000
  /// The command's own executable, which is started again where a process of its own is needed;
  /// nothing in a process that is another one, such as tests.
  var command: String?
  /// Draws the seed of a run that was given none.
  var drawSeed: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

  /// The command as it is built.
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
    composition.processors = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 256)
    composition.command = HelperProcess.command
    return composition
  }
}

extension Composition {
  /// Makes sure that there is a system with a name, or that the name holds the command of one.
  ///
  /// - Throws: a usage error that proposes the nearest one.
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

  /// Makes sure that a text is the beginning of a benchmark's name.
  ///
  /// - Throws: a usage error that proposes the nearest one.
  func checkBenchmark(_ name: String) throws(LabError) {
    let known = catalogue.names(.benchmarks)
    guard !known.contains(where: { $0.begins(with: name) }) else { return }
    throw unknown("benchmark", name, known, try: "bench list")
  }

  /// Makes sure that a text is the name of a condition that benchmarks are measured in.
  ///
  /// - Throws: a usage error that proposes the nearest one.
  func checkAxis(_ name: String) throws(LabError) {
    let known = [BenchRunOptions.baseAxis] + catalogue.names(.axes)
    guard !known.contains(name) else { return }
    throw unknown("axis", name, known, try: "bench list")
  }

  private func unknown(
    _ kind: String,
    _ name: String,
    _ known: [String],
    try verb: String
  ) -> LabError {
    let hint = NearestWord.hint(for: name, among: known)
    return .usage("unknown \(kind) \(name.quoted).\(hint)", try: verb)
  }
}
