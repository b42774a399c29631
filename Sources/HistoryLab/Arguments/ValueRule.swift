/// What a value must look like, whatever its type.
struct ValueRule: Sendable {
  let placeholder: String
  let expectation: String
  let suggestions: [String]
  let accepts: @Sendable (String) -> Bool
}
