/// A factory of verbs.
enum Verbs {
  /// Returns the verb with a name, after checking its arguments.
  ///
  /// - Throws: A usage error if an argument is wrong; a lab error if the verb is not implemented.
  static func make(
    _ name: String,
    _ arguments: ParsedArguments,
    _ composition: Composition,
    _ terminal: Terminal
  ) throws(LabError) -> any Verb {
    switch name {
    case "check":
      let options = try CheckOptions(arguments, in: composition)
      return CheckVerb(options: options, composition: composition, terminal: terminal)
    case "replay":
      let options = try ReplayOptions(arguments, in: composition)
      return ReplayVerb(options: options, composition: composition, terminal: terminal)
    case "explore":
      let options = try ExploreOptions(arguments, in: composition)
      return ExploreVerb(options: options, composition: composition, terminal: terminal)
    case "mutants":
      let options = try MutantsOptions(arguments, in: composition)
      if options.isGenerated {
        return GeneratedVerb(options: options, composition: composition, terminal: terminal)
      }
      return MutantsVerb(options: options, composition: composition, terminal: terminal)
    case "stress":
      let options = try StressOptions(arguments, in: composition)
      return StressVerb(options: options, composition: composition, terminal: terminal)
    case "bench run":
      let options = try BenchRunOptions(arguments, in: composition)
      return BenchRunVerb(options: options, composition: composition, terminal: terminal)
    case "bench baseline save", "bench baseline list", "bench baseline compare",
      "bench baseline check", "bench baseline accept":
      let word = name.split(separator: " ").last.map(String.init) ?? name
      guard let action = BenchBaselineVerb.Action(rawValue: word) else { break }
      let options = try BenchBaselineOptions(arguments)
      return BenchBaselineVerb(
        action: action,
        options: options,
        composition: composition,
        terminal: terminal
      )
    case "bench compare":
      let options = try BenchCompareOptions(arguments, in: composition)
      return BenchCompareVerb(options: options, composition: composition, terminal: terminal)
    case "bench selftest":
      let options = BenchSelftestOptions(arguments, in: composition)
      return BenchSelftestVerb(options: options, terminal: terminal)
    case "bench list":
      let options = BenchListOptions(arguments)
      return BenchListVerb(options: options, composition: composition, terminal: terminal)
    case "serve":
      let options = try ServeOptions(arguments, in: composition)
      return ServeVerb(options: options, terminal: terminal)
    case "protocol check":
      return ProtocolCheckVerb(options: try ProtocolCheckOptions(arguments), terminal: terminal)
    case "report":
      let options = try ReportOptions(arguments)
      return ReportVerb(options: options, composition: composition, terminal: terminal)
    case "report trend":
      return ReportTrendVerb(options: try ReportTrendOptions(arguments), terminal: terminal)
    case "report nights":
      return ReportNightsVerb(options: try ReportNightsOptions(arguments), terminal: terminal)
    case "report export":
      return ReportExportVerb(options: try ReportExportOptions(arguments), terminal: terminal)
    case "report merge":
      let options = try ReportMergeOptions(arguments)
      return ReportMergeVerb(options: options, composition: composition, terminal: terminal)
    case "history add":
      return HistoryAddVerb(options: try HistoryAddOptions(arguments), terminal: terminal)
    case "history list":
      return HistoryListVerb(options: try HistoryListOptions(arguments), terminal: terminal)
    case "inspect": return InspectVerb(options: try InspectOptions(arguments), terminal: terminal)
    case "convert": return ConvertVerb(options: try ConvertOptions(arguments), terminal: terminal)
    case "list":
      let options = ListOptions(arguments)
      return ListVerb(options: options, composition: composition, terminal: terminal)
    default: break
    }
    throw .lab("the verb \(name.quoted) is described but not built.")
  }
}
