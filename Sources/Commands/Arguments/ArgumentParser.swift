import Basics

/// The action that a command line requests.
package enum Invocation: Sendable {
  /// The command line is empty.
  case nothing
  /// Print the help of one verb; `nil` prints the help of the tool.
  case help(VerbSpec?)
  case version
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

/// Parses the arguments of one verb as its specification states.
package struct ArgumentParser {
  package let verb: VerbSpec
  /// The tool's other verbs.
  ///
  /// If the command line has an option that only other verbs have, the error names these verbs,
  /// unless this verb has an option with a similar name.
  package let others: [VerbSpec]
  private var parsed = ParsedArguments()
  private var rest: ArraySlice<String> = []

  package init(_ verb: VerbSpec, others: [VerbSpec] = []) {
    self.verb = verb
    self.others = others
  }

  /// Parses all arguments after the verb.
  ///
  /// - Throws: a usage error that names the first invalid argument.
  package mutating func parse(
    _ arguments: some Sequence<String>
  ) throws(LabError) -> ParsedArguments {
    rest = ArraySlice(arguments)
    parsed = ParsedArguments()
    var takesOptions = true
    while let argument = rest.popFirst() {
      if takesOptions, argument == "--" {
        takesOptions = false
      } else if takesOptions, argument.hasPrefix("-"), argument.count > 1 {
        try readOption(argument)
      } else {
        try readPositional(argument)
      }
    }
    try checkWhole()
    return parsed
  }

  private mutating func readOption(_ argument: String) throws(LabError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let typed = String(parts[0])
    guard let option = verb.options.first(where: { $0.dashed == typed }) else {
      throw unknownOption(typed)
    }
    let attached = parts.count > 1 ? String(parts[1]) : nil
    let text = try option.value == nil ? flag(option, attached) : value(option, attached)
    if parsed.texts[option.name] != nil, !option.repeats {
      throw .usage("\(option.dashed) is given twice; it may be given once.")
    }
    parsed.texts[option.name, default: []].append(text)
  }

  private func flag(_ option: OptionSpec, _ attached: String?) throws(LabError) -> String {
    guard let attached else { return "" }
    throw .usage("\(option.dashed) takes no value, but was given \(attached.quoted).")
  }

  /// Returns an option's value: the attached text, or the next argument unless it starts with `--`.
  private mutating func value(
    _ option: OptionSpec,
    _ attached: String?
  ) throws(LabError) -> String {
    guard let rule = option.value else { return "" }
    let follows = rest.first.map { !$0.hasPrefix("--") } ?? false
    guard let text = attached ?? (follows ? rest.popFirst() : nil), !text.isEmpty else {
      throw .usage("\(option.dashed) needs a value: \(rule.expectation).")
    }
    try check(text, by: rule, for: option.dashed)
    return text
  }

  private mutating func readPositional(_ argument: String) throws(LabError) {
    let place = parsed.positionals.count
    let specs = verb.positionals
    let repeated = specs.last.flatMap { $0.repeats ? $0 : nil }
    guard let spec = place < specs.count ? specs[place] : repeated else {
      throw surplus(argument)
    }
    try check(argument, by: spec.value, for: spec.value.placeholder)
    parsed.positionals.append(argument)
  }

  private func check(_ text: String, by rule: ValueRule, for name: String) throws(LabError) {
    guard !rule.accepts(text) else { return }
    let hint = NearestWord.hint(for: text, among: rule.suggestions)
    throw .usage("\(name) takes \(rule.expectation), not \(text.quoted).\(hint)")
  }

  private func checkWhole() throws(LabError) {
    if parsed.positionals.count < verb.positionals.count {
      let missing = verb.positionals[parsed.positionals.count]
      if missing.isRequired {
        throw .usage(
          "\(verb.name) needs \(missing.value.placeholder), \(missing.value.expectation)."
        )
      }
    }
    for group in verb.exclusive {
      let given = group.filter { parsed.texts[$0] != nil }.map { "--" + $0 }
      if given.count > 1 {
        throw .usage("\(given.joined(separator: " and ")) cannot be given together.")
      }
    }
  }
}

extension ArgumentParser {
  /// Returns the error for an option that the verb does not have.
  package func unknownOption(_ typed: String) -> LabError {
    let name = String(typed.drop { $0 == "-" })
    let known = verb.options.map(\.name) + ["help"]
    if let nearest = NearestWord.find(name, among: known) {
      return .usage(#"unknown option \#(typed.quoted). Did you mean "--\#(nearest)"?"#)
    }
    let owners = others.filter { $0.option(name) != nil }.map(\.name)
    if !owners.isEmpty {
      let have = owners.count == 1 ? "has" : "have"
      return .usage(
        "\(verb.name) has no option \(typed.quoted); \(owners.joinedWithAnd) \(have) it."
      )
    }
    return .usage("unknown option \(typed.quoted).")
  }

  /// Returns the error for a positional argument that the verb does not accept.
  package func surplus(_ argument: String) -> LabError {
    guard !verb.positionals.isEmpty else {
      return .usage(
        "unexpected argument \(argument.quoted): \(verb.name) takes options only."
      )
    }
    let places = verb.positionals.map(\.value.placeholder).joinedWithAnd
    return .usage("unexpected argument \(argument.quoted): \(verb.name) takes one \(places).")
  }
}

/// The parsed arguments of a verb; each value satisfies the rule of its option.
package struct ParsedArguments: Equatable, Sendable {
  /// The texts that were given for each option, by option name; a flag has one empty text.
  package var texts: [String: [String]] = [:]
  /// The positional arguments, in order.
  package var positionals: [String] = []
}
