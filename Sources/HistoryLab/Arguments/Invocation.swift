/// The request of a command line.
enum Invocation: Sendable {
  /// The command line is empty.
  case nothing
  /// Print the help of the tool, or of one verb.
  case help(VerbSpec?)
  case version
  /// Run a verb with its arguments.
  case run(VerbSpec, ParsedArguments)

  /// Parses a whole command line, given without the tool's own path.
  ///
  /// - Throws: a usage error that names the first wrong argument and the command that prints help.
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
    guard verb.subverbs.isEmpty || verb.isWhole else {
      let words = verb.subverbs.map(\.word).joinedAsAlternatives
      throw .usage("\(verb.name) needs to know what to do: \(words).", try: hint)
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

  /// Returns the verb that the first words name, and the arguments after it.
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

/// Finds the known word that a mistyped one most likely means.
enum NearestWord {
  /// Returns the nearest of some words, or `nil` if none is near.
  ///
  /// A word is near if its distance is at most a third of the length of the longer word, rounded,
  /// or if it is the only one that begins with the two or more letters typed.
  static func find(_ typed: String, among words: [String]) -> String? {
    let typed = typed.lowercased()
    let ranked = words.map { (word: $0, distance: distance(typed, $0.lowercased())) }
    let near = ranked.filter { $0.distance <= (max(typed.count, $0.word.count) + 1) / 3 }
    // The first of several equally near words, so that the result does not depend on sorting.
    if let best = near.min(by: { $0.distance < $1.distance }) { return best.word }
    let begun = words.filter { $0.lowercased().hasPrefix(typed) }
    return typed.count >= 2 && begun.count == 1 ? begun.first : nil
  }

  /// Returns a question that suggests the nearest word, or an empty text if none is near.
  static func hint(for typed: String, among words: [String]) -> String {
    find(typed, among: words).map { " Did you mean \($0.quoted)?" } ?? ""
  }

  /// Returns the number of letters to insert, delete, change or swap with their neighbour.
  ///
  /// This is the optimal string alignment form of the Damerau-Levenshtein distance: no substring is
  /// edited twice.
  ///
  /// - Complexity: proportional to the product of the two lengths.
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for i in 1...left.count {
      var row = [i]
      for j in 1...right.count {
        let change = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
        var least = min(change, last[j] + 1, row[j - 1] + 1)
        let isSwap = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]
        if isSwap { least = min(least, beforeLast[j - 2] + 1) }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
