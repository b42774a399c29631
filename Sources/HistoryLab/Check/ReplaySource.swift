import Foundation
import PersistentHistory
import PropertyTesting
import Systems
import Traces
import Workloads

/// The plan to replay, the system that runs it, and the invariant that it broke.
struct ReplaySource {
  var plan: Plan
  let system: LabSystem
  /// The broken invariant that the file names; `nil` for a plan alone.
  let checker: String?

  /// Reads the file, or draws the plan of a seed.
  ///
  /// - Throws: a usage error that says what is wrong with the file, the system or the number.
  init(_ options: ReplayOptions, _ programs: ProgramShelf) throws(LabError) {
    switch options.source {
    case .file(let path):
      let file = try Self.read(path)
      plan = file.plan
      checker = file.checker
      system = try Self.system(options.system, else: file.system ?? "tracker", of: path, programs)
    case .seed(let seed, let number, let planOptions):
      checker = nil
      system = try .find(options.system ?? "tracker", programs)
      let recipe = PlanRecipe(
        generator: PlanGenerator(try planOptions.style(for: system)),
        seed: seed,
        timestamps: system.timestamps
      )
      plan = recipe.plan(number).plan
    }
    let count = plan.commands.count
    guard let until = options.until, until > count else { return }
    throw .usage(
      "--until \(until): the plan has \(count.counted("command")). "
        + (count == 0 ? "Leave it out." : "Give a number from 1 to \(count).")
    )
  }

  /// Returns the system that was named, else the one that the file names; a file starts no program.
  private static func system(
    _ named: String?,
    else name: String,
    of path: String,
    _ programs: ProgramShelf
  ) throws(LabError) -> LabSystem {
    if let named { return try .find(named, programs) }
    guard ExternalProgram.command(in: name) == nil else {
      throw .usage(
        "the file was made with \(name.quoted), and no program is started because a file says so.",
        try: "replay \(path.shellQuoted) --system \(name.shellQuoted)"
      )
    }
    guard let system = LabSystem.named(name) else {
      throw .usage("the file names the system \(name.quoted), which this build does not have.")
    }
    return system
  }

  private static func read(_ path: String) throws(LabError) -> LabFile {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("\(path.quoted) cannot be read.")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw .usage("\(path.quoted) is not text in UTF-8: it is no plan and no counterexample.")
    }
    do throws(FormatError) { return try LabFile(text) } catch {
      throw .usage("\(path): \(error.description)")
    }
  }
}

extension LabFile {
  /// The system that the file's plan ran on; `nil` for a plan that did not run.
  fileprivate var system: String? {
    switch self {
    case .plan: nil
    case .trace(let trace): trace.header.system
    case .counterexample(let counterexample): counterexample.trace.header.system
    }
  }

  /// The broken invariant that the file names; `nil` if it names none.
  fileprivate var checker: String? {
    if case .counterexample(let counterexample) = self {
      counterexample.violation.checker
    } else {
      nil
    }
  }
}
