import PersistentHistory
import Traces

/// The signals that are on their way to actors, and when each actor looks for itself.
///
/// However many commits are signalled before the first one arrives, one signal arrives, as with a file
/// that is watched. Times are ticks of the scheduler.
struct SignalPost {
  private struct Box {
    /// When the signal that is on its way arrives; nothing when there is none.
    var arrival: Int?
    /// When the actor looks for itself.
    var poll: Int
  }
  private var boxes: [ActorID: Box] = [:]

  /// Whether a signal is on its way to somebody.
  var isBusy: Bool { boxes.values.contains { $0.arrival != nil } }

  /// Adds when each signal arrives, in ticks from the present one.
  ///
  /// When an actor looks for itself is not told: no short plan comes so far, and the time after its last
  /// command is long enough for every look.
  func describe(_ state: inout StateSketch, tick: Int) {
    for (actor, box) in boxes.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      state.add(box.arrival.map { max($0 - tick, 0) } ?? -1)
    }
    state.enter(nil)
  }

  /// Takes an event in: who is signalled, who starts and who ends.
  mutating func note(_ event: Event) {
    guard let actor = event.actor else { return }
    switch event.happening {
    case .registered, .launched:
      boxes[actor] = Box(arrival: nil, poll: event.tick + SignalTicks.poll)
    case .stopped, .crashed, .retired: boxes[actor] = nil
    case .signalled:
      guard boxes[actor]?.arrival == nil else { return }
      boxes[actor]?.arrival = event.tick + SignalTicks.delivery
    default: break
    }
  }

  /// Who has a signal, or a look of its own, due at a tick, in the order of their names.
  func due(at tick: Int, polls: Bool) -> [Action] {
    boxes.sorted { $0.key < $1.key }.compactMap { actor, box in
      if let arrival = box.arrival, arrival <= tick { return .deliver(actor, .delivered) }
      return polls && box.poll <= tick ? .poll(actor, .delivered) : nil
    }
  }

  /// Why a signal cannot have the fate that a plan gives it, or nothing.
  func objection(to action: Action) -> String? {
    guard case .deliver(let actor, _) = action, boxes[actor]?.arrival == nil else { return nil }
    return "no signal is on its way to \(actor)"
  }

  /// Gives a signal or a look its fate at a tick, and answers how often the system is asked.
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
