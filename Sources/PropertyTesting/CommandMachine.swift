/// A system driven by commands, with a model whose state determines which commands are possible.
///
///     struct Counter: CommandMachine {
///       enum Command { case add(Int), reset }
///
///       static let rules: [CommandRule<Counter>] = [
///         CommandRule("add") { _, source in .add(source.int(in: 1...9)) },
///         CommandRule("reset", when: { $0.sum > 0 }, draw: { _, _ in .reset }),
///       ]
///
///       private(set) var sum = 0
///       private var counter = BrokenCounter()
///
///       mutating func perform(_ command: Command) throws { ... }
///     }
///
/// This protocol defines a stateful property. Each case creates a machine, draws one possible
/// command after the other, performs each immediately, and ends with `finish()`. An error thrown by
/// either method fails the case, labelled with the type of the error.
public protocol CommandMachine {
  /// A command with its arguments; failures show its description.
  associatedtype Command

  /// The kinds of commands, simplest first: shrinking prefers earlier ones.
  static var rules: [CommandRule<Self>] { get }

  /// Performs a command on the system and on the model, and compares the two.
  ///
  /// - Throws: An error that fails the case, or ``Rejection`` to discard it.
  mutating func perform(_ command: Command) throws

  /// Checks the state after the last command; the default implementation does nothing.
  ///
  /// - Throws: An error that fails the case, ``Rejection`` to discard it, or ``Vacuity`` if the
  ///   case tested nothing.
  mutating func finish() throws
}

extension CommandMachine {
  /// Does nothing.
  public mutating func finish() {}
}

/// One kind of command: its precondition, and how to draw its arguments.
public struct CommandRule<Machine: CommandMachine>: Sendable {
  /// The name of the kind.
  public let name: String
  /// The frequency of the kind, relative to the weights of the others.
  ///
  /// The default is 1.
  public let weight: Int
  let isPossible: (@Sendable (Machine) -> Bool)?
  let draw: @Sendable (Machine, inout ChoiceSource) throws -> Machine.Command

  /// Creates a rule; the precondition is evaluated before every step in the current state.
  public init(
    _ name: String,
    weight: Int = 1,
    when isPossible: (@Sendable (Machine) -> Bool)? = nil,
    draw: @escaping @Sendable (Machine, inout ChoiceSource) throws -> Machine.Command
  ) {
    guard weight > 0 else { fatalError("CommandRule(\(name)): its weight is \(weight)") }
    self.name = name
    self.weight = weight
    self.isPossible = isPossible
    self.draw = draw
  }
}
