import Foundation
import PropertyTesting
import Simulation
import Systems
import Traces
import Workloads

/// A trial of one generated mutant in a separate process.
///
/// A generated edit may crash or hang. The process is this command, started under a
/// verb that the help does not list.
struct GeneratedTrial {
  static let verb = "_mutant"

  enum Outcome: Hashable, Sendable {
    /// A checker rejected a plan.
    case killed(checker: String, plan: Int)
    /// The process ended without a verdict.
    case crashed(String)
    /// The process exceeded the time limit.
    case hung
    /// Every plan passed.
    case survived
  }

  let name: String
  let seed: UInt64
  let planCount: Int

  /// The command-line arguments that start the process.
  var arguments: [String] { [Self.verb, name, String(seed), String(planCount)] }

  /// Runs a trial if the arguments are those of a trial process.
  ///
  /// - Returns: The exit code, which is 64 if the arguments after the verb are invalid; `nil` if
  ///   the arguments do not start with the verb of a trial process.
  static func run(_ arguments: [String]) -> Int32? {
    guard arguments.count == 4, arguments[0] == verb, let seed = UInt64(arguments[2]),
      let planCount = Int(arguments[3]),
      let mutant = Mutant.generated.first(where: { $0.name == arguments[1] })
    else { return arguments.first == verb ? 64 : nil }
    do {
      let line = try GeneratedTrial(name: mutant.name, seed: seed, planCount: planCount).verdict(
        mutant
      )
      print(line)
      return 0
    } catch {
      print("crashed\t\(error)")
      return 0
    }
  }

  /// Runs plans under every condition until a checker rejects one.
  private func verdict(_ mutant: Mutant) throws -> String {
    let system = LabSystem(mutant)
    let options = PlanOptions(conditions: .all)
    let recipe = PlanRecipe(
      generator: PlanGenerator(try options.style(for: system)),
      seed: seed,
      timestamps: system.timestamps
    )
    let lane = PlanLane(system, at: .heap(), versions: [:])
    defer { lane.close() }
    for number in 1...planCount {
      if let violation = try lane.violation(by: recipe.plan(number).plan) {
        return "killed\t\(violation.checker)\t\(number)"
      }
    }
    return "survived"
  }
}

extension GeneratedTrial.Outcome {
  /// Parses the last output line of a process that ended with a status or was killed as late.
  init(line: String, status: Int32, isLate: Bool) {
    let words =
      line.split(whereSeparator: \.isNewline).last?.split(separator: "\t").map(String.init) ?? []
    switch (words.first, isLate) {
    case (_, true): self = .hung
    case ("killed", _) where words.count == 3:
      self = .killed(checker: words[1], plan: Int(words[2]) ?? 0)
    case ("survived", _) where status == 0: self = .survived
    case ("crashed", _): self = .crashed(words.dropFirst().joined(separator: " "))
    default: self = .crashed("it ended with \(status)")
    }
  }

  /// The outcome in one word.
  var word: String {
    switch self {
    case .killed: "killed"
    case .crashed: "crashed"
    case .hung: "hung"
    case .survived: "survived"
    }
  }
}
