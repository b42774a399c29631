/// A call of a hook that is under way, known to everything that the hook calls.
struct HookCall: Hashable, Sendable {
  @TaskLocal static var current: HookCall?

  let tracker: ObjectIdentifier
  let number: Int
}
