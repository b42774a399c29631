/// The specification of a positional argument.
struct PositionalSpec: Sendable {
  let value: ValueRule
  let isRequired: Bool
  /// Whether any number of further arguments of the same kind may follow.
  var repeats = false
  let sentence: String

  /// The argument as usage lines show it.
  var usage: String {
    let name = repeats ? value.placeholder + "..." : value.placeholder
    return isRequired ? name : "[\(name)]"
  }
}
