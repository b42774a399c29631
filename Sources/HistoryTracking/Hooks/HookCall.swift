/// A hook call in progress, visible as a task-local value to the code that the hook calls.
struct HookCall: Hashable, Sendable {
  @TaskLocal static var current: HookCall?

  let tracker: ObjectIdentifier
  let number: Int
}
