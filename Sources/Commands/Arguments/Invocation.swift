import Basics

/// The action that a command line requests.
package enum Invocation: Sendable {
  /// The command line is empty.
  case nothing
  /// Print the help of one verb; `nil` prints the help of the tool.
  case help(VerbSpec?)
  case version
  /// Run a verb with its arguments.
  case run(VerbSpec, ParsedArguments)

  /// Parses a whole command line without the executable's path.
  ///
  /// - Throws: a usage error that names the first invalid argument and the command that prints help.
  package static func read(_ arguments: [String], tool: ToolSpec) throws(LabError) -> Invocation {
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
    guard verb.start != nil else {
      let words = verb.subverbs.map(\.word).joinedAsAlternatives
      throw .usage("\(verb.name) needs one of these verbs: \(words).", try: hint)
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

  /// Returns the verb that the first words name, and the remaining arguments.
  private static func choose(
    _ arguments: ArraySlice<String>,
    _ tool: ToolSpec
  ) throws(LabError) -> (verb: VerbSpec, rest: ArraySlice<String>) {
    let word = arguments.first ?? ""
    if word.hasPrefix("-") { throw misplaced(word).hinting(tool.hint(for: nil)) }
    guard var verb = tool.verbs.first(where: { $0.word == word }) else {
      let known = nearest(word, among: tool.verbs)
      throw .usage("unknown verb \(word.quoted).\(known)", try: tool.hint(for: nil))
    }
    var rest = arguments.dropFirst()
    while !verb.subverbs.isEmpty, let next = rest.first, !next.hasPrefix("-") {
      guard let subverb = verb.subverbs.first(where: { $0.word == next }) else {
        let known = nearest(next, among: verb.subverbs)
        throw .usage("\(verb.name) has no verb \(next.quoted).\(known)", try: tool.hint(for: verb))
      }
      (verb, rest) = (subverb, rest.dropFirst())
    }
    return (verb, rest)
  }

  private static func nearest(_ word: String, among verbs: [VerbSpec]) -> String {
    let words = verbs.map(\.word)
    let hint = NearestWord.hint(for: word, among: words)
    return hint.isEmpty ? " There are \(words.joinedWithAnd)." : hint
  }

  private static func misplaced(_ option: String) -> LabError {
    let typed = option.split(separator: "=").first.map(String.init) ?? option
    let name = String(typed.drop { $0 == "-" })
    guard let nearest = NearestWord.find(name, among: ["help", "version"]) else {
      return .usage("a verb must come before \(typed.quoted).")
    }
    return .usage(#"unknown option \#(typed.quoted). Did you mean "--\#(nearest)"?"#)
  }
}
