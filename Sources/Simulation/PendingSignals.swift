import HistoryTypes
import Traces

/// The signals on their way to actors, and the time of each actor's next poll.
///
/// All commits that are signalled to an actor before its signal arrives are delivered as one
/// signal, like changes of a watched file. Times are ticks of the scheduler.
struct PendingSignals {
  private struct Box {
    /// The tick at which the pending signal arrives; `nil` if none is pending.
    var arrival: Int?
    /// The tick of the actor's next poll.
    var poll: Int
  }
  private var boxes: [ActorID: Box] = [:]

  /// Whether any actor has a pending signal.
  var isBusy: Bool { boxes.values.contains { $0.arrival != nil } }

  /// Adds to `state` the time until each pending signal arrives, in ticks (commands of any actor).
  ///
  /// The time of each actor's next poll of the store is left out, because explored plans are so
  /// short that no poll is due before their last command.
  func describe(_ state: inout StateSketch, tick: Int) {
    for (actor, box) in boxes.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      state.add(box.arrival.map { max($0 - tick, 0) } ?? -1)
    }
    state.enter(nil)
  }

  /// Updates the pending signals after an event: an actor starts, ends, or is signalled.
  mutating func note(_ event: Event) {
    guard let actor = event.actor else { return }
    switch event.kind {
    case .registered, .launched:
      boxes[actor] = Box(arrival: nil, poll: event.tick + SignalTicks.poll)
    case .stopped, .crashed, .retired: boxes[actor] = nil
    case .signalled:
      guard boxes[actor]?.arrival == nil else { return }
      boxes[actor]?.arrival = event.tick + SignalTicks.delivery
    default: break
    }
  }

  /// Returns the signals and polls that are due at a tick, sorted by actor name.
  func due(at tick: Int, polls: Bool) -> [Action] {
    boxes.sorted { $0.key < $1.key }.compactMap { actor, box in
      if let arrival = box.arrival, arrival <= tick { return .deliver(actor, .delivered) }
      return polls && box.poll <= tick ? .poll(actor, .delivered) : nil
    }
  }

  /// Returns why a plan's `deliver` command is not possible; `nil` if it is possible.
  func objection(to action: Action) -> String? {
    guard case .deliver(let actor, _) = action, boxes[actor]?.arrival == nil else { return nil }
    return "no signal is on its way to \(actor)"
  }

  /// Updates the pending signals for an action of the plan, if it is a `deliver` or `poll`.
  ///
  /// Returns how often the system must perform the action: 0 times if the signal or poll is late or
  /// lost, 2 times for a doubled poll, otherwise once.
  mutating func apply(_ action: Action, at tick: Int) -> Int {
    switch action {
    case .deliver(let actor, let fate): deliver(actor, fate, tick)
    case .poll(let actor, let fate): poll(actor, fate, tick)
    default: 1
    }
  }

  private mutating func deliver(_ actor: ActorID, _ fate: SignalFate, _ tick: Int) -> Int {
    switch fate {
    case .delivered:
      boxes[actor]?.arrival = nil
      return 1
    case .late:
      boxes[actor]?.arrival = tick + SignalTicks.lateness
      return 0
    case .lost:
      boxes[actor]?.arrival = nil
      return 0
    case .doubled:
      boxes[actor]?.arrival = tick + SignalTicks.delivery
      return 1
    }
  }

  private mutating func poll(_ actor: ActorID, _ fate: SignalFate, _ tick: Int) -> Int {
    let next = fate == .late ? SignalTicks.lateness : SignalTicks.poll
    boxes[actor]?.poll = tick + next
    return switch fate {
    case .delivered: 1
    case .late, .lost: 0
    case .doubled: 2
    }
  }
}
