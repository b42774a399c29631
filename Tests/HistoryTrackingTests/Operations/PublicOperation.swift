/// A public operation, with its call on a world that has the same content at each attempt.
struct PublicOperation: Sendable {
  /// Calls the operation, and returns its result, which is the same at every successful attempt.
  typealias Request = @Sendable () async throws -> String

  /// The name, as its source declares it.
  let name: String
  /// Whether it makes no call to the file.
  let isQuiet: Bool
  /// Whether it takes no lock on the file.
  let takesNoLock: Bool
  /// Whether it has several transactions, so that some may be committed when it fails.
  let hasSteps: Bool
  /// Prepares the operation, without failures.
  let prepare: @Sendable (OperationWorld) async throws -> Request

  /// Creates an operation that needs only the store.
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

  /// Creates an operation on a subject that is prepared first.
  init<Subject: Sendable>(
    _ name: String,
    isQuiet: Bool = false,
    takesNoLock: Bool = false,
    hasSteps: Bool = false,
    on make: @escaping @Sendable (OperationWorld) async throws -> Subject,
    _ perform: @escaping @Sendable (Subject) async throws -> String
  ) {
    self.name = name
    self.isQuiet = isQuiet
    self.takesNoLock = isQuiet || takesNoLock
    self.hasSteps = hasSteps
    prepare = { world in
      let subject = try await make(world)
      return { try await perform(subject) }
    }
  }
}

/// A value that an operation changes in place.
final class OperationBox<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}
