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
