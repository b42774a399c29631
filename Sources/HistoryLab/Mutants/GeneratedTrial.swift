import Foundation
import PropertyTesting
import Simulation
import Systems
import Traces
import Workloads

/// One edit that a rule has made, tried in a process of its own: this command, started again under a
/// verb that stands in no help, since such code may crash or never end.
struct GeneratedTrial {
  static let verb = "_mutant"

  /// The outcome of one edit.
  enum Outcome: Hashable, Sendable {
    /// A checker rejects a plan.
    case killed(checker: String, plan: Int)
    /// The process ended by itself, or no verdict was reached.
    case crashed(String)
    /// It was not done in time.
    case hung
    /// Every plan holds.
    case survived
  }

  let name: String
  let seed: UInt64
  let planCount: Int

  /// The words that start the process.
  var arguments: [String] { [Self.verb, name, String(seed), String(planCount)] }

  /// Does what the arguments say, if they are those of such a process.
  ///
  /// - Returns: the exit code, or nothing when the command has something else to do.
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

  /// Runs plans under every condition until one shows the edit.
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
  /// Reads the last line of a process that ended with a status, or that was ended because it took too long.
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

  /// The outcome in a word.
  var word: String {
    switch self {
    case .killed: "killed"
    case .crashed: "crashed"
    case .hung: "hung"
    case .survived: "survived"
    }
  }
}
