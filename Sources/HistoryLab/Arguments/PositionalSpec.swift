/// An argument without a name, known by its place.
struct PositionalSpec: Sendable {
  let value: ValueRule
  let isRequired: Bool
  /// Whether any number of further arguments are of the same kind.
  var repeats = false
  let sentence: String

  /// The argument as a usage line shows it.
  var usage: String {
    let name = repeats ? value.placeholder + "..." : value.placeholder
    return isRequired ? name : "[\(name)]"
  }
}
