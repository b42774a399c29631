/// The identity of an observer or a merge hook of one tracker; it is never reused.
public struct HookID: Hashable, Sendable, CustomStringConvertible {
  let number: Int

  /// A short name for logs.
  public var description: String { "hook \(number)" }
}
