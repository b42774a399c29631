import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws how a plan with faults stores data: when it syncs, and how often it checkpoints.
  ///
  /// Checkpoints to the database file are frequent, so that faults hit them, too.
  func storage(_ header: inout PlanHeader, _ source: inout ChoiceSource) {
    if style.setup?.synchronous == nil {
      let isFull = source.bool(probability: 0.5, label: "full")
      // Without synced commits, a power-off can take a write of plain SQL out of history and leave it in
      // the file. The store then captures it again, at another time.
      if isFull || header.foreignWrites == .captured { header.synchronous = .full }
    }
    let pages = [nil, 4, 8, 16, 32, 64][source.weighted([1, 2, 3, 3, 2, 1], label: "checkpoint")]
    header.checkpointPages = pages
  }

  /// Draws the faults of a command; most commands get none.
  ///
  /// Rare kinds of commands get faults more often, so that every kind of command occurs with every
  /// kind of power-off.
  func faults(
    _ source: inout ChoiceSource,
    during action: PlanAction,
    _ draft: PlanDraft
  ) -> [PlannedFault] {
    var faults: [PlannedFault] = []
    if draft.active.contains(.callFailure),
      source.bool(probability: Self.failureShare, label: "failure")
    {
      faults.append(source.span("failure") { failure(&$0, draft) })
    }
    guard draft.active.contains(.powerOff) else { return faults }
    // A pass consists of four steps, so it has a power-off twice as often as its weight suggests.
    let weight = Double(action.weight) / (action == .pass ? 2 : 1)
    let share = min(Self.rareShare, Self.weightedShare / weight)
    guard source.bool(probability: share, label: "power-off") else { return faults }
    return faults + [source.span("power-off") { powerOff(&$0) }]
  }

  // MARK: Calls that fail

  /// The share of commands in which a call fails.
  ///
  /// The commands without a failure show the effects of earlier failures.
  private static let failureShare = 0.12

  /// Draws a fault that hits only the k-th call of a kind, or all calls from the k-th on.
  ///
  /// The number k is so small that most commands make at least k calls.
  private func failure(_ source: inout ChoiceSource, _ draft: PlanDraft) -> PlannedFault {
    let kinds: [(PlannedFault.Kind, Int)] = [
      (.ioError, 6), (.full, 3), (.busy, 4), (.memory, 4), (.shortRead, 2),
      (.delay, delayWeight(draft)),
    ]
    let kind = kinds[source.weighted(kinds.map(\.1), label: "kind")].0
    let places = Self.failurePlaces(of: kind).filter { kind == .delay || isCertain($0, draft) }
    let place = places[source.weighted(places.map(\.weight), label: "call")]
    return PlannedFault(
      kind: kind,
      file: place.file,
      call: place.call,
      k: 1 + source.index(below: place.callCount),
      from: source.bool(probability: 0.4, label: "from")
    )
  }

  /// Returns the weight of delayed syncs; 0 if they and a power-off could damage the database file.
  ///
  /// Without power-offs, delayed syncs are harmless. With power-offs, they are allowed only if
  /// every commit syncs the log and no part of the log is checkpointed. Otherwise a power-off could
  /// damage the database file, whichever program writes it.
  private func delayWeight(_ draft: PlanDraft) -> Int {
    guard draft.active.contains(.powerOff) else { return 1 }
    let isHarmless =
      draft.header.synchronous == .full && draft.header.checkpointPages == nil
      && draft.header.foreignWrites == .unwatched
    return isHarmless ? 16 : 0
  }

  /// Returns whether the effect of a command with this failing call is certain.
  ///
  /// A commit whose log could not be synced is reported as failed. Its frames are in the log
  /// already, so a power-off before the next commit may bring the failed commit back
  /// (https://sqlite.org/fileformat2.html, section 4).
  private func isCertain(_ place: FailurePlace, _ draft: PlanDraft) -> Bool {
    !(place.file == .wal && place.call == .sync && draft.active.contains(.powerOff))
  }

  /// A kind of call on a kind of file that a fault can make fail.
  ///
  /// The fault makes the k-th such call of a command fail; `k` is drawn from 1 to `callCount`.
  private struct FailurePlace {
    let file: PlannedFault.File
    let call: PlannedFault.Call
    let weight: Int
    let callCount: Int
  }

  private static func failurePlaces(of kind: PlannedFault.Kind) -> [FailurePlace] {
    switch kind {
    case .memory:
      [FailurePlace(file: .main, call: .allocate, weight: 1, callCount: 120)]
    // SQLite treats a truncated page of the database as a page that was never written
    // (https://sqlite.org/c3ref/io_methods.html). No system can notice such a read, so only reads
    // of the log are cut short.
    case .shortRead: [FailurePlace(file: .wal, call: .read, weight: 1, callCount: 6)]
    case .delay: [FailurePlace(file: .wal, call: .sync, weight: 1, callCount: 2)]
    default: failurePlaces.filter { kind.calls.contains($0.call) }
    }
  }

  private static let failurePlaces = [
    FailurePlace(file: .wal, call: .write, weight: 6, callCount: 12),
    FailurePlace(file: .shm, call: .lock, weight: 6, callCount: 8),
    FailurePlace(file: .wal, call: .read, weight: 3, callCount: 6),
    FailurePlace(file: .wal, call: .sync, weight: 3, callCount: 2),
    FailurePlace(file: .main, call: .read, weight: 2, callCount: 4),
    FailurePlace(file: .main, call: .write, weight: 2, callCount: 4),
    FailurePlace(file: .main, call: .sync, weight: 1, callCount: 1),
    FailurePlace(file: .main, call: .lock, weight: 1, callCount: 2),
    FailurePlace(file: .wal, call: .truncate, weight: 1, callCount: 1),
    FailurePlace(file: .main, call: .truncate, weight: 1, callCount: 1),
  ]

  // MARK: Power

  /// The factor from which the share of commands with a power-off is computed.
  ///
  /// The share for a kind of command is this factor divided by the kind's weight, but at most
  /// `rareShare`. A plan of 40 commands then has two or three power-offs.
  private static let weightedShare = 0.6
  private static let rareShare = 0.15

  private func powerOff(_ source: inout ChoiceSource) -> PlannedFault {
    let isTorn = source.bool(probability: 0.6, label: "torn")
    // Most calls are writes to the log; a checkpoint writes to the database file and syncs both files.
    let (file, call) = Self.places[source.weighted([10, 3, 4, 3, 2, 1, 1], label: "call")]
    let most = call == .write ? 24 : call == .lock ? 12 : 3
    return PlannedFault(
      kind: isTorn ? .torn : .powerOff,
      file: file,
      call: call,
      k: source.int(in: 1...most),
      seed: isTorn ? source.int(in: 0...9_999) : 0
    )
  }

  private static let places: [(PlannedFault.File, PlannedFault.Call)] = [
    (.wal, .write), (.wal, .sync), (.main, .write), (.main, .sync), (.shm, .lock), (.main, .read),
    (.wal, .truncate),
  ]
}

extension Command {
  /// Whether the command has a power-off, which ends all processes.
  var losesPower: Bool { faults.contains { $0.kind.isPowerOff } }
}
