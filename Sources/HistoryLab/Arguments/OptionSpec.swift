/// The specification of an option for the parser and the help, without the type of its values.
struct OptionSpec: Sendable {
  /// The name without leading dashes.
  let name: String
  /// The rule for the value; `nil` for a flag.
  let value: ValueRule?
  let defaultText: String?
  let repeats: Bool
  let sentence: String

  /// The name as the user types it, with leading dashes.
  var dashed: String { "--" + name }

  /// The option as usage lines show it.
  var usage: String { value.map { "\(dashed) \($0.placeholder)" } ?? dashed }
}
