/// One way in for bytes from outside, and what must hold whatever they are.
package struct FuzzTarget: Sendable {
  /// The name on command lines, and of its folder in the corpus.
  package let name: String
  /// What it reads, and what must hold, in a sentence.
  package let sentence: String
  private let make: @Sendable () throws -> Attempt

  /// Reads some bytes; throws a ``FuzzFinding`` when something does not hold.
  package typealias Attempt = @Sendable ([UInt8]) throws -> Void

  init(_ name: String, _ sentence: String, make: @escaping @Sendable () throws -> Attempt) {
    self.name = name
    self.sentence = sentence
    self.make = make
  }

  init(_ name: String, _ sentence: String, attempt: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.init(name, sentence) { attempt }
  }

  /// Makes what the attempts share, such as a store file, and answers the attempt.
  ///
  /// - Throws: what the file system or the store throws.
  package func attempt() throws -> Attempt { try make() }

  /// Every target, by name.
  package static let all: [FuzzTarget] =
    [plan, trace, counterexample, setup, message, answer, token, uri, blob, row, file]

  /// The target with a name, or nothing.
  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// What must hold and does not.
package struct FuzzFinding: Error, CustomStringConvertible {
  /// A sentence.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a finding when a condition does not hold.
func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) throws {
  guard holds else { throw FuzzFinding(sentence()) }
}
