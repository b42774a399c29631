/// What a command line asks for.
enum Invocation: Sendable {
  /// Nothing was asked.
  case nothing
  /// The help of the tool, or of one verb.
  case help(VerbSpec?)
  case version
  /// A verb is run with its arguments.
  case run(VerbSpec, ParsedArguments)

  /// Reads a whole command line, without the tool's own path.
  ///
  /// - Throws: a usage error that names the first argument that is wrong, and how to get help.
  static func read(_ arguments: [String], tool: ToolSpec) throws(LabError) -> Invocation {
    guard let first = arguments.first else { return .nothing }
    switch first {
    case "--help", "-h": return .help(nil)
    case "--version": return .version
    case "help": return try help(arguments.dropFirst(), tool)
    default: break
    }
    let (verb, rest) = try choose(arguments[...], tool)
    if asksForHelp(rest) { return .help(verb) }
    let hint = tool.hint(for: verb)
    guard verb.subverbs.isEmpty else {
      let words = verb.subverbs.map(\.word).joinedAsAlternatives
      throw .usage("\(verb.name) needs to know what to do: \(words). \(hint)")
    }
    do {
      var parser = ArgumentParser(verb, others: tool.leaves.filter { $0.name != verb.name })
      return .run(verb, try parser.parse(rest))
    } catch { throw error.hinting(hint) }
  }

  private static func help(
    _ words: ArraySlice<String>,
    _ tool: ToolSpec
  ) throws(LabError) -> Invocation {
    let words = words.filter { !$0.hasPrefix("-") }
    return words.isEmpty ? .help(nil) : .help(try choose(words[...], tool).verb)
  }

  private static func asksForHelp(_ arguments: ArraySlice<String>) -> Bool {
    arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  /// The verb that the first words name, and what follows them.
  private static func choose(
    _ arguments: ArraySlice<String>,
    _ tool: ToolSpec
  ) throws(LabError) -> (verb: VerbSpec, rest: ArraySlice<String>) {
    let word = arguments.first ?? ""
    if word.hasPrefix("-") { throw misplacedOption(word, tool) }
    guard let verb = tool.verbs.first(where: { $0.word == word }) else {
      throw unknown("verb", word, among: tool.verbs).hinting(tool.hint(for: nil))
    }
    let rest = arguments.dropFirst()
    guard !verb.subverbs.isEmpty, let next = rest.first, !next.hasPrefix("-") else {
      return (verb, rest)
    }
    guard let subverb = verb.subverbs.first(where: { $0.word == next }) else {
      throw unknown("verb of \(verb.name)", next, among: verb.subverbs)
        .hinting(tool.hint(for: verb))
    }
    return (subverb, rest.dropFirst())
  }

  private static func unknown(
    _ kind: String,
    _ word: String,
    among verbs: [VerbSpec]
  ) -> LabError {
    let words = verbs.map(\.word)
    let hint = NearestWord.hint(for: word, among: words)
    let known = hint.isEmpty ? " There are \(words.joinedWithAnd)." : hint
    return .usage("unknown \(kind) \(word.quoted).\(known)")
  }

  private static func misplacedOption(_ word: String, _ tool: ToolSpec) -> LabError {
    let typed = word.split(separator: "=").first.map(String.init) ?? word
    let name = String(typed.drop { $0 == "-" })
    let error: LabError
    if tool.leaves.contains(where: { $0.option(name) != nil }) {
      error = .usage("a verb must come before \(typed.quoted).")
    } else {
      let nearest = NearestWord.find(name, among: ["help", "version"])
      let hint = nearest.map { #" Did you mean "--\#($0)"?"# } ?? ""
      error = .usage("unknown option \(typed.quoted).\(hint)")
    }
    return error.hinting(tool.hint(for: nil))
  }
}

extension ToolSpec {
  /// How to get the help of a verb, or of the tool.
  func hint(for verb: VerbSpec?) -> String {
    let words = [name, verb?.name, "--help"].compactMap { $0 }
    return "Try: \(words.joined(separator: " "))"
  }
}
