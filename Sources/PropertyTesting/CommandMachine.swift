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

/// The commands of a failed case and the error that it failed with.
public struct CommandFailure: LabelledFailure, CustomStringConvertible {
  /// The commands in order, as text.
  public let commands: [String]
  /// A Boolean value that indicates whether the final check failed rather than a command.
  public let isAtEnd: Bool
  /// The error that was thrown.
  public let underlying: any Error

  /// The label of the underlying error, so that shrinking preserves the failure.
  public var failureLabel: String { CaseResult.label(of: underlying) }

  /// One numbered line for each command, then the error.
  public var description: String {
    let lines = commands.enumerated().map { "\($0.offset + 1). \($0.element)" }
    return (lines + [(isAtEnd ? "at the end: " : "then: ") + "\(underlying)"])
      .joined(separator: "\n")
  }
}

extension ChoiceSource {
  /// Draws commands for a machine and performs each of them, then runs the final check.
  ///
  /// Most runs use the maximum number of steps, because many failures need long runs. Half of the
  /// runs use the weights of the rules, the others random weights (see `swarmWeights(_:)`). In some
  /// runs, numbers with a label are repeated (see `reuseNumbers()`). A run ends early if no rule is
  /// possible.
  ///
  /// - Returns: The number of performed commands.
  /// - Throws: ``CommandFailure`` if the machine throws; ``Rejection`` and ``Vacuity`` are passed
  ///   through.
  @discardableResult
  public mutating func perform<Machine: CommandMachine>(
    on machine: inout Machine,
    steps: ClosedRange<Int> = 0...50
  ) throws -> Int {
    var run = CommandRun<Machine>(steps, &self)
    while try run.step(&machine, &self) {}
    try run.finish(&machine)
    return run.commands.count
  }
}

/// The state of one case of a command machine.
private struct CommandRun<Machine: CommandMachine> {
  private(set) var commands: [Machine.Command] = []
  private var repetition: Repetition
  private let rules = Machine.rules
  /// The weights of the rules in this run, and those of the rules that are currently possible.
  private let mixture: [Int]
  private var weights: [Int]

  init(_ steps: ClosedRange<Int>, _ source: inout ChoiceSource) {
    repetition = Repetition("step", steps, length: .mostlyLongest)
    let swarm = source.swarmWeights(rules.count)
    mixture = zip(rules, swarm).map { $0.weight * $1 }
    weights = mixture
    source.reuseNumbers()
  }

  /// Performs one more command; returns `false` when the run is finished.
  mutating func step(_ machine: inout Machine, _ source: inout ChoiceSource) throws -> Bool {
    guard findPossible(machine), repetition.next(&source) else {
      repetition.stop(&source)
      return false
    }
    do {
      let command = try rules[source.weighted(weights)].draw(machine, &source)
      commands.append(command)
      source.reportStep("\(commands.count). \(command)")
      try machine.perform(command)
    } catch {
      repetition.stop(&source)
      throw failure(error, isAtEnd: false)
    }
    return true
  }

  func finish(_ machine: inout Machine) throws {
    do {
      try machine.finish()
    } catch {
      throw failure(error, isAtEnd: true)
    }
  }

  /// Sets the weights of the currently possible rules; returns `false` if there are none.
  private mutating func findPossible(_ machine: Machine) -> Bool {
    var (sum, isAnyPossible) = (0, false)
    for (index, rule) in rules.enumerated() {
      let isPossible = rule.isPossible?(machine) ?? true
      weights[index] = isPossible ? mixture[index] : 0
      sum += weights[index]
      isAnyPossible = isAnyPossible || isPossible
    }
    if sum == 0, isAnyPossible {
      // No rule with a weight in this run is possible: use all possible rules with their own
      // weights.
      for (index, rule) in rules.enumerated() where rule.isPossible?(machine) ?? true {
        weights[index] = rule.weight
      }
    }
    return isAnyPossible
  }

  private func failure(_ error: any Error, isAtEnd: Bool) -> any Error {
    if error is Rejection || error is Vacuity { return error }
    return CommandFailure(
      commands: commands.map { "\($0)" },
      isAtEnd: isAtEnd,
      underlying: error
    )
  }
}
