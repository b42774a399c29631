/// A system that is driven by commands, together with what is known of it: its state decides what is
/// possible next.
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
/// The whole of a stateful property is this one protocol: a case makes a machine, draws one possible
/// command after the other, performs each as soon as it is drawn, and ends with `finish()`. What
/// either of them throws fails the case, under the type of the error.
public protocol CommandMachine {
  /// One command with its arguments; its description is what a failure shows.
  associatedtype Command

  /// The kinds of command, the simplest first: shrinking prefers earlier ones.
  static var rules: [CommandRule<Self>] { get }

  /// Performs a command on the system and on what is known of it, and compares the two.
  ///
  /// - Throws: what fails the case; ``Rejection`` discards it.
  mutating func perform(_ command: Command) throws

  /// Checks what must hold after the last command; nothing unless it is written.
  ///
  /// - Throws: what fails the case; ``Rejection`` discards it, ``Vacuity`` says that it tested
  ///   nothing.
  mutating func finish() throws
}

extension CommandMachine {
  /// Checks nothing.
  public mutating func finish() {}
}

/// One kind of command: when it is possible, and how its arguments are drawn.
public struct CommandRule<Machine: CommandMachine>: Sendable {
  /// What the kind is called.
  public let name: String
  /// How often the kind comes up, in proportion to the weights of the others.
  public let weight: Int
  let isPossible: (@Sendable (Machine) -> Bool)?
  let draw: @Sendable (Machine, inout ChoiceSource) throws -> Machine.Command

  /// Makes a rule; the precondition is asked before every step, of the state as it is then.
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
