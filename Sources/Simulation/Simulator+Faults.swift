import Faults
import Systems
import Traces

/// Injects faults into commands, and restarts the system after a power-off.
extension Simulator {
  /// Returns why a command is not possible with its faults; `nil` if it is possible.
  func objection(to command: Command) -> String? {
    if let objection = objection(to: command.action) {
      return objection
    }
    guard !command.faults.isEmpty else { return nil }
    guard place.canArm(command.faults), capabilities.contains(.faults) else {
      return "the command's faults in file calls or allocations cannot be injected into this system"
    }
    let losesPower = command.faults.contains { $0.kind.isPowerOff }
    return losesPower && !capabilities.contains(.powerOff)
      ? "the system cannot start again after a power-off" : nil
  }

  /// Logs the faults that were injected into a command, and turns the power off if a fault requires it.
  func fire(_ faults: [PlannedFault], _ action: Action, _ outcome: inout Outcome) {
    let fired = place.disarm(faults)
    if place.isOff, case .failed = outcome {
      outcome = .unknown(SystemFailure(.crashed, "The power failed."))
    }
    if !place.isOff, fired.contains(true) { reconcile(action, &outcome) }
    for (fault, hasFired) in zip(faults, fired) {
      // If the command did not make the call at which the power fails, the power fails now.
      let isLate = fault.kind.isPowerOff && !place.isOff
      if isLate { place.turnOff(fault) }
      if hasFired || isLate { log.add(action.actor, .fault(fault)) }
    }
    if place.isOff { restart(after: action) }
  }

  /// Logs the unreported effects of a command, and corrects the command's outcome.
  ///
  /// If a failed command has committed a write, its outcome becomes unknown. The outcome of a failed
  /// command also becomes unknown if the store cannot be inspected. Purges are logged, but do not
  /// change the outcome.
  private func reconcile(_ action: Action, _ outcome: inout Outcome) {
    let before = log.events.count
    do throws(SystemFailure) {
      try system.reconcile(after: action, &log)
    } catch {
      // If the store cannot be inspected, only the outcome of a failed command becomes unknown.
      if case .failed = outcome { outcome = .unknown(error) }
      return
    }
    let isCommitted = log.events[before...].contains { $0.kind.word == .committed }
    if isCommitted, case .failed(let failure) = outcome { outcome = .unknown(failure) }
  }

  /// Turns the power off between two commands, and returns the events until the store is open again.
  ///
  /// The caller restores the run's state afterwards.
  func loseEverything(_ fault: PlannedFault) -> [Event] {
    let before = log.events.count
    place.turnOff(fault)
    log.add(nil, .fault(fault))
    restart(after: .clock(advance: 0))
    isDown = false
    return Array(log.events[before...])
  }

  /// Turns the power on, logs a crash of every running actor and consumer, and opens the store again.
  private func restart(after action: Action) {
    isDown = true
    place.turnOn()
    do throws(SystemFailure) {
      let report = try system.restart(after: action, &log)
      for actor in life.alive { log.add(actor, .crashed) }
      log.add(nil, .recovered(through: report.through))
      if let damage = report.damage { log.add(nil, .damaged(because: damage)) }
      log.add(nil, .data(report.data))
      log.add(nil, .history(report.history))
    } catch {
      for actor in life.alive { log.add(actor, .crashed) }
      log.add(nil, .damaged(because: error.description))
      isBeyondRepair = true
    }
    life.noteEnd()
  }

  /// Launches the consumers again after a power-off; actors are launched by commands of the plan.
  func startConsumers(_ observe: (Event) -> Bool) {
    isDown = false
    if isBeyondRepair { isStopped = true }
    for consumer in consumers where !isStopped {
      perform(.launch(consumer), command: nil, observe)
    }
  }
}

extension FileFault {
  /// Creates the fault of the file system for a planned fault; `nil` if the fault is of another kind.
  init?(_ fault: PlannedFault) {
    guard let kind = Kind(fault.kind), let call = FileCall(fault.call),
      let file = FileKind(name: fault.file.rawValue)
    else { return nil }
    self.init(kind, file: file, call: call, k: fault.k, from: fault.from, loss: fault.loss)
  }
}

extension PlannedFault {
  /// The effect of this power-off on writes that were not synced.
  var loss: PowerLoss {
    PowerLoss(seed: kind == .torn ? UInt64(truncatingIfNeeded: seed) : nil)
  }
}

extension FileFault.Kind {
  fileprivate init?(_ kind: PlannedFault.Kind) {
    switch kind {
    case .ioError: self = .ioError
    case .full: self = .full
    case .busy: self = .busy
    case .shortRead: self = .shortRead
    case .delay: self = .delay
    case .powerOff, .torn: self = .powerOff
    case .memory: return nil
    }
  }
}

extension FileCall {
  fileprivate init?(_ call: PlannedFault.Call) {
    switch call {
    case .read: self = .read
    case .write: self = .write
    case .sync: self = .sync
    case .truncate: self = .truncate
    case .lock: self = .lock
    case .allocate: return nil
    }
  }
}
