/// A fuzz target: one parser of outside bytes, and the property that must hold for any input.
package struct FuzzTarget: Sendable {
  /// The name on command lines and of its folder in the corpus.
  package let name: String
  /// The input and the property, in a sentence.
  package let sentence: String
  private let make: @Sendable () throws -> Attempt

  /// Reads some bytes; throws a ``FuzzFinding`` if the property does not hold.
  package typealias Attempt = @Sendable ([UInt8]) throws -> Void

  init(_ name: String, _ sentence: String, make: @escaping @Sendable () throws -> Attempt) {
    self.name = name
    self.sentence = sentence
    self.make = make
  }

  init(_ name: String, _ sentence: String, attempt: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.init(name, sentence) { attempt }
  }

  /// Creates what the attempts share, such as a store file, and returns the attempt.
  ///
  /// - Throws: Errors of the file system or the store.
  package func attempt() throws -> Attempt { try make() }

  /// Every target, by name.
  package static let all: [FuzzTarget] =
    [plan, trace, counterexample, setup, message, answer, token, uri, blob, row, file]

  /// Returns the target with a name, or `nil`.
  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A property that does not hold.
package struct FuzzFinding: Error, CustomStringConvertible {
  /// The description of the violation.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a finding when a condition does not hold.
func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) throws {
  guard holds else { throw FuzzFinding(sentence()) }
}
