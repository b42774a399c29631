import Foundation
import HistoryTracking
import Systems
import Traces
import Workloads

extension PlanOptions {
  /// Returns the style of the plans for a system.
  ///
  /// - Throws: a usage error when the file to resemble has no history or cannot be read, when the
  ///   configuration is invalid, or when the system does not support a named condition.
  func style(for system: LabSystem) throws(LabError) -> PlanStyle {
    var style = PlanStyle(try Profiles.profile(like: like))
    style.commandCountMax = commands
    style.schedule = schedule.schedule
    style.actions = system.actions
    style.conditions = try conditions.conditions(for: system)
    style.hasContexts = system.capabilities.contains(.contexts)
    style.hasPages = system.capabilities.contains(.pages)
    style.hasPolicies = system.capabilities.contains(.policies)
    style.hasDrivers = system.hasDrivers
    style.hasQueries = system.capabilities.contains(.queries)
    style.hasReadings = system.capabilities.contains(.readings)
    style.hasHooks = system.capabilities.contains(.hooks)
    if let actors { style.actorCounts = actors...actors }
    if let config { style.setup = try Self.setup(config, for: system) }
    return style
  }

  private static func setup(
    _ path: String,
    for system: LabSystem
  ) throws(LabError) -> PlanSetup {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("--config: \(path.quoted) cannot be read.")
    }
    let setup: PlanSetup
    do throws(FormatError) {
      setup = try SetupCodec.decode(String(decoding: data, as: UTF8.self))
    } catch {
      throw .usage("--config: \(path): \(error.description)")
    }
    if let lacking = system.lacks(setup) {
      throw .usage("--config: \(path): \(lacking)")
    }
    return setup
  }
}

extension LabSystem {
  /// Returns a sentence about the first unsupported or unknown item of a configuration, or `nil`.
  fileprivate func lacks(_ setup: PlanSetup) -> String? {
    let needs: [(Capability, String, Bool)] = [
      (.consume, "consumers", !setup.consumers.isEmpty),
      (.retention, "retention", setup.retention != nil),
      (.signals, "drive", setup.drive == .signals),
      (.hooks, "hooks", setup.actors.contains { $0.hooks != nil }),
      (.contexts, "contexts", setup.actors.contains { $0.contexts != nil }),
      (.pages, "page", setup.actors.contains { $0.page != nil }),
    ]
    for (capability, key, isAsked) in needs where isAsked && !capabilities.contains(capability) {
      return "\(name) knows nothing of \(key.quoted). Leave it out, or check another system."
    }
    let strategies = setup.actors.compactMap(\.strategy)
    if let strategy = strategies.first(where: { !knows($0) }) {
      return "there is no strategy \(strategy.quoted). Known are, with numbers of one's own, "
        + "\(strategyWords.joinedWithAnd)."
    }
    let hooks = setup.actors.flatMap { $0.hooks ?? [] }
    return hooks.first { PlannedHook(rawValue: $0) == nil }.map { hook in
      let known = PlannedHook.allCases.map(\.rawValue)
      return
        "there is no hook \(hook.quoted).\(NearestWord.hint(for: hook, among: known)) Known are "
        + "\(known.joinedWithAnd)."
    }
  }
}
