/// An option as the parser and the help see it.
struct OptionSpec: Sendable {
  /// The name without its dashes.
  let name: String
  /// What its value must look like, or nothing for a flag.
  let value: ValueRule?
  let defaultText: String?
  let repeats: Bool
  let sentence: String

  /// The name as it is typed.
  var dashed: String { "--" + name }

  /// The option as a usage line shows it.
  var usage: String { value.map { "\(dashed) \($0.placeholder)" } ?? dashed }
}
