/// A public operation, and how it is asked for in a world that holds the same at each try.
struct PublicOperation: Sendable {
  /// Asks for the operation, again if it failed, and answers what came of it: the same at every try
  /// that succeeds, whatever failed before.
  typealias Request = @Sendable () async throws -> String

  /// As its source declares it.
  let name: String
  /// Whether it asks nothing of the file.
  let isQuiet: Bool
  /// Whether it asks for no lock of the file.
  let takesNoLock: Bool
  /// Whether it is several transactions, of which some may have taken place when it fails.
  let hasSteps: Bool
  /// Makes ready what it needs; nothing fails meanwhile.
  let prepare: @Sendable (OperationWorld) async throws -> Request

  /// An operation that needs nothing besides the store.
  init(
    _ name: String,
    isQuiet: Bool = false,
    takesNoLock: Bool = false,
    hasSteps: Bool = false,
    _ perform: @escaping @Sendable (OperationWorld) async throws -> String
  ) {
    self.name = name
    self.isQuiet = isQuiet
    self.takesNoLock = isQuiet || takesNoLock
    self.hasSteps = hasSteps
    prepare = { world in { try await perform(world) } }
  }

  /// An operation on something that is made ready first.
  init<Subject: Sendable>(
    _ name: String,
    isQuiet: Bool = false,
    hasSteps: Bool = false,
    on make: @escaping @Sendable (OperationWorld) async throws -> Subject,
    _ perform: @escaping @Sendable (Subject) async throws -> String
  ) {
    self.name = name
    self.isQuiet = isQuiet
    takesNoLock = isQuiet
    self.hasSteps = hasSteps
    prepare = { world in
      let subject = try await make(world)
      return { try await perform(subject) }
    }
  }
}

/// Something that an operation changes in place.
final class OperationBox<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}
