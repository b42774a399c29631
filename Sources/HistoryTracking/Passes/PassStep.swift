/// One step of a pass.
package enum PassStep: Sendable, Hashable {
  case fetch
  case merge
  case record
}
