extension ChoiceSource {
  /// Draws commands for a machine and performs each at once, up to a number of steps, then checks
  /// the end.
  ///
  /// Most runs go to the greatest number of steps, as much trouble needs a long story to come about;
  /// half of them weigh the kinds of command as their rules do, the others at random (see
  /// `swarmWeights(_:)`); in some, numbers with a label come again (see `reuseNumbers()`). A run ends
  /// early where no rule is possible.
  ///
  /// - Returns: the number of commands performed.
  /// - Throws: ``CommandFailure`` when the machine throws; ``Rejection`` and ``Vacuity`` as they
  ///   are.
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

/// One case of a command machine under way.
private struct CommandRun<Machine: CommandMachine> {
  private(set) var commands: [Machine.Command] = []
  private var repetition: Repetition
  private let rules = Machine.rules
  /// The weights of the kinds in this run, and of those among them that are possible now.
  private let mixture: [Int]
  private var weights: [Int]

  init(_ steps: ClosedRange<Int>, _ source: inout ChoiceSource) {
    repetition = Repetition("step", steps, length: .mostlyLongest)
    let swarm = source.swarmWeights(rules.count)
    mixture = zip(rules, swarm).map { $0.weight * $1 }
    weights = mixture
    source.reuseNumbers()
  }

  /// Performs one more command; false when the run is over.
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

  /// Sets the weights of what is possible now; false if nothing is.
  private mutating func findPossible(_ machine: Machine) -> Bool {
    var (sum, isAnyPossible) = (0, false)
    for (index, rule) in rules.enumerated() {
      let isPossible = rule.isPossible?(machine) ?? true
      weights[index] = isPossible ? mixture[index] : 0
      sum += weights[index]
      isAnyPossible = isAnyPossible || isPossible
    }
    if sum == 0, isAnyPossible {
      // All that this run would mix is impossible now: any that is possible will do.
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
