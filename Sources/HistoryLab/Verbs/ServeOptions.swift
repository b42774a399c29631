/// The options of `serve`.
struct ServeOptions: Hashable, Sendable {
  /// The name of the system that answers.
  var system: String

  static let systemOption = Option(
    "system",
    .text("NAME", "a system's name, as list systems shows them"),
    default: "tracker",
    defaultText: "tracker",
    "The system that answers."
  )

  /// - Throws: A usage error if the system is unknown.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    system = try arguments.required(Self.systemOption)
    let known = composition.catalogue.names(.systems)
    guard known.contains(system) else {
      let hint = NearestWord.hint(for: system, among: known)
      throw .usage("unknown system \(system.quoted).\(hint)", try: "list systems")
    }
  }
}

extension ServeOptions {
  static let spec = VerbSpec(
    name: "serve",
    sentence: "Answers commands on standard input, a line each: a system of ours as a program.",
    options: [systemOption.spec],
    examples: [
      Example("serve", "Our tracker, as the other side of external:COMMAND."),
      Example("serve --system greatest-cursor", "One that loses updates."),
      Example(
        "check --system \"external:history-lab serve\" --seed 1",
        "The lab and the tracker as two processes."
      ),
    ]
  )
}
