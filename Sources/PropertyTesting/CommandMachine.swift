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
/// command after the other, performs each immediately, and ends with `finish()`. An error that
/// `perform(_:)` or `finish()` throws fails the case, labelled with the type of the error. A
/// machine whose methods await conforms to ``AsyncCommandMachine``.
public protocol CommandMachine: RuleBasedMachine {
  /// A command with its arguments; failures show its description.
  associatedtype Command

  /// The kinds of commands, simplest first: shrinking prefers earlier kinds.
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
  /// Does nothing; replace this implementation to check the state after the last command.
  public mutating func finish() {}
}

/// A system, such as an actor, that is driven by asynchronous commands.
///
///     struct ShelfMachine: AsyncCommandMachine {
///       static let rules = [CommandRule<ShelfMachine>("add") { _, source in source.int(in: 0...9) }]
///       let shelf = Shelf()  // an actor
///       var model: Set<Int> = []
///
///       mutating func perform(_ book: Int) async throws { ... }
///     }
///
/// See ``CommandMachine`` for how a case runs. If the system starts tasks, Swift's executors decide
/// their order, and a failure may not recur; a ``SeededExecutor`` makes the order part of the case.
public protocol AsyncCommandMachine: RuleBasedMachine {
  /// A command with its arguments; failures show its description.
  associatedtype Command

  /// The kinds of commands, simplest first: shrinking prefers earlier kinds.
  static var rules: [CommandRule<Self>] { get }

  /// Performs a command on the system and on the model, and compares the two.
  ///
  /// - Throws: An error that fails the case, or ``Rejection`` to discard it.
  mutating func perform(_ command: Command) async throws

  /// Checks the state after the last command; the default implementation does nothing.
  ///
  /// - Throws: An error that fails the case, ``Rejection`` to discard it, or ``Vacuity`` if the
  ///   case tested nothing.
  mutating func finish() async throws
}

extension AsyncCommandMachine {
  /// Does nothing; replace this implementation to check the state after the last command.
  public mutating func finish() async {}
}

/// A type with rules by which commands are drawn.
///
/// Conform to ``CommandMachine`` or ``AsyncCommandMachine`` instead. Both declare the requirements
/// again, so that Swift infers `Command` from their methods.
public protocol RuleBasedMachine {
  /// A command with its arguments; failures show its description.
  associatedtype Command

  /// The kinds of commands, simplest first: shrinking prefers earlier kinds.
  static var rules: [CommandRule<Self>] { get }
}

/// One kind of command: its precondition, and how to draw its arguments.
public struct CommandRule<Machine: RuleBasedMachine>: Sendable {
  /// The name of the kind of command, such as `add`.
  public let name: String
  /// The frequency of this kind of command, relative to the weights of the other kinds.
  ///
  /// The default is 1.
  public let weight: Int
  let isPossible: (@Sendable (Machine) -> Bool)?
  let draw: @Sendable (Machine, inout ChoiceSource) throws -> Machine.Command

  /// Creates a rule; the precondition is evaluated before every step, on the machine's state.
  ///
  /// - Parameters:
  ///   - name: The name of the kind of command.
  ///   - weight: The frequency of the command, relative to the other kinds. The default is 1.
  ///   - isPossible: The precondition. By default, the command is always possible.
  ///   - draw: A function that draws the arguments; a thrown ``Rejection`` discards the case.
  public init(
    _ name: String,
    weight: Int = 1,
    when isPossible: (@Sendable (Machine) -> Bool)? = nil,
    draw: @escaping @Sendable (Machine, inout ChoiceSource) throws -> Machine.Command
  ) {
    guard weight > 0 else {
      fatalError("CommandRule(\(name)): the weight must be positive, but is \(weight)")
    }
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
  /// Most cases have the maximum number of steps, because many failures need long cases. Half of
  /// the cases use the weights of the rules, the others random weights (see `swarmWeights(_:)`). In
  /// one of four cases, an integer that is drawn with a label often repeats the last integer with
  /// that label. A case ends early if no rule is possible.
  ///
  /// - Parameters:
  ///   - machine: The machine, in its initial state.
  ///   - steps: The possible numbers of commands. The default is 0 to 50.
  /// - Returns: The number of performed commands.
  /// - Throws: ``CommandFailure`` if the machine throws; ``Rejection`` and ``Vacuity`` are passed
  ///   through.
  @discardableResult
  public mutating func perform<Machine: CommandMachine>(
    on machine: inout Machine,
    steps: ClosedRange<Int> = 0...50
  ) throws -> Int {
    var run = CommandRun<Machine>(steps, &self)
    while let command = try run.next(machine, &self) {
      do { try machine.perform(command) } catch { throw run.failure(error, &self) }
    }
    do { try machine.finish() } catch { throw run.failure(error, isAtEnd: true) }
    return run.commands.count
  }

  /// Draws commands for a machine, awaits each of them, and then awaits the final check.
  ///
  /// See `perform` for a ``CommandMachine`` for details.
  ///
  /// - Throws: ``CommandFailure`` if the machine throws; ``Rejection`` and ``Vacuity`` are passed
  ///   through.
  @discardableResult
  public mutating func perform<Machine: AsyncCommandMachine>(
    on machine: inout Machine,
    steps: ClosedRange<Int> = 0...50
  ) async throws -> Int {
    var run = CommandRun<Machine>(steps, &self)
    while let command = try run.next(machine, &self) {
      do { try await machine.perform(command) } catch { throw run.failure(error, &self) }
    }
    do { try await machine.finish() } catch { throw run.failure(error, isAtEnd: true) }
    return run.commands.count
  }
}

/// The state of one case of a command machine.
private struct CommandRun<Machine: RuleBasedMachine> {
  private(set) var commands: [Machine.Command] = []
  private var repetition: Repetition
  private let rules = Machine.rules
  /// The weights of all kinds of commands in this test case, in the order of `rules`.
  private let mixture: [Int]
  /// The weights for the next draw; 0 for each kind of command that is not possible now.
  private var weights: [Int]

  init(_ steps: ClosedRange<Int>, _ source: inout ChoiceSource) {
    repetition = Repetition("step", steps, length: .mostlyLongest)
    let swarm = source.swarmWeights(rules.count)
    mixture = zip(rules, swarm).map { $0.weight * $1 }
    weights = mixture
    source.reuseNumbers()
  }

  /// Draws the next command; returns `nil` when the case is finished.
  mutating func next(
    _ machine: Machine,
    _ source: inout ChoiceSource
  ) throws -> Machine.Command? {
    guard findPossible(machine), repetition.next(&source) else {
      repetition.stop(&source)
      return nil
    }
    do {
      let command = try rules[source.weighted(weights)].draw(machine, &source)
      commands.append(command)
      source.reportStep("\(commands.count). \(command)")
      return command
    } catch {
      throw failure(error, &source)
    }
  }

  /// Ends the case after a command has failed, and returns the error with which the case fails.
  mutating func failure(_ error: any Error, _ source: inout ChoiceSource) -> any Error {
    repetition.stop(&source)
    return failure(error, isAtEnd: false)
  }

  /// Sets the weights of the kinds of commands that are possible now; returns `false` if none is.
  private mutating func findPossible(_ machine: Machine) -> Bool {
    var (sum, isAnyPossible) = (0, false)
    for (index, rule) in rules.enumerated() {
      let isPossible = rule.isPossible?(machine) ?? true
      weights[index] = isPossible ? mixture[index] : 0
      sum += weights[index]
      isAnyPossible = isAnyPossible || isPossible
    }
    if sum == 0, isAnyPossible {
      // No rule with a weight above 0 in this case is possible: use the rules' own weights instead.
      for (index, rule) in rules.enumerated() where rule.isPossible?(machine) ?? true {
        weights[index] = rule.weight
      }
    }
    return isAnyPossible
  }

  /// Returns the error with which the case fails: the machine's error with the commands so far.
  func failure(_ error: any Error, isAtEnd: Bool) -> any Error {
    if error is Rejection || error is Vacuity { return error }
    return CommandFailure(
      commands: commands.map { "\($0)" },
      isAtEnd: isAtEnd,
      underlying: error
    )
  }
}
