/// The rule that a value of an option or argument must satisfy, without its type.
struct ValueRule: Sendable {
  let placeholder: String
  let expectation: String
  let suggestions: [String]
  let accepts: @Sendable (String) -> Bool
}
