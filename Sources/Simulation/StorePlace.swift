import Faults
import Foundation
import HistoryTypes
package import Systems
package import Traces

/// The location of a simulation's stores: on the heap, or in a folder as real files.
package final class StorePlace {
  private let files: HeapFileSystem?
  /// For stores in a folder, the file system that injects the faults; unused by plans without faults.
  private let realFiles: RealFileSystem?
  private let folder: String
  private let syncs: PowerWatch
  private var stores = 0
  /// Whether the last plan had faults.
  var hadFaults = false
  /// The maximum number of one-millisecond pauses in which a request waits for another thread.
  package var patience = 10_000
  /// The clock of the current plan, which the file system also reads.
  package let clock: PlanClock
  /// Images of empty stores, by kind of plan, so that a plan need not create a schema.
  private var templates: [String: FileSystemImage] = [:]

  private init(
    files: HeapFileSystem?,
    folder: String,
    clock: PlanClock,
    syncs: PowerWatch = .honest,
    usesSQLite: Bool = true
  ) {
    self.files = files
    realFiles = files == nil && usesSQLite ? RealFileSystem() : nil
    self.syncs = syncs
    self.folder = folder
    self.clock = clock
  }

  /// Creates a place on the heap, with a real WAL and several connections, and without disk access.
  ///
  /// If `ignoringSyncs` is `true`, power-offs damage stores. Tests use this to verify that checkers
  /// find the damage.
  package static func heap(ignoringSyncs: Bool = false) -> StorePlace {
    // The allocator is installed first, because it cannot be installed once SQLite is in use.
    _ = FailingAllocator.isInPlace
    let clock = PlanClock()
    return StorePlace(
      files: HeapFileSystem(clock: { clock.now }),
      folder: "",
      clock: clock,
      syncs: ignoringSyncs ? .ignoringSyncs : .honest
    )
  }

  /// Creates a place for systems that do not use the lab's stores; SQLite is not initialized.
  ///
  /// Every plan gets its own path in the folder, but the place creates neither the folder nor
  /// files.
  package static func unused(folder: String) -> StorePlace {
    StorePlace(files: nil, folder: folder, clock: PlanClock(), usesSQLite: false)
  }

  /// Returns whether the faults can be injected; failing allocations need a ``FailingAllocator``.
  func canArm(_ faults: [PlannedFault]) -> Bool {
    !faults.contains { $0.kind == .memory } || FailingAllocator.isInPlace
  }

  /// Creates a folder that holds the store of each plan while the plan runs.
  ///
  /// - Throws: ``StorePlaceError`` when the folder cannot be created or written.
  package static func folder(_ path: String) throws(StorePlaceError) -> StorePlace {
    _ = FailingAllocator.isInPlace
    do {
      try FileManager.default.createDirectory(
        atPath: path,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw StorePlaceError(path: path, reason: error.localizedDescription)
    }
    guard FileManager.default.isWritableFile(atPath: path) else {
      throw StorePlaceError(path: path, reason: "it cannot be written")
    }
    return StorePlace(files: nil, folder: path, clock: PlanClock())
  }

  /// Prepares the clock and the file system for the store of one plan.
  ///
  /// Plans with the same timestamp rule, model and setting for foreign writes are of one kind. All
  /// plans of one kind start from the same image of an empty store, if stores are on the heap.
  func prepare(seed: UInt64, kind: String, hasFaults: Bool = false) -> SystemEnvironment {
    clock.now = PlanClock.start
    guard let files else {
      return prepareFolder(seed: seed, vfs: hasFaults ? realFiles?.name : nil)
    }
    files.reseed(seed)
    let template = templates[kind]
    if let template { files.restore(template) } else { files.removeAll() }
    let base = template ?? FileSystemImage(files: [:])
    var environment = SystemEnvironment(
      path: "plan.store",
      vfs: files.name,
      clock: clock,
      seed: seed,
      saveFiles: {
        let image = files.snapshot(sharing: base)
        return { files.restore(image) }
      }
    )
    environment.patience = patience
    environment.writeCount = { files.writeCount }
    environment.makeVFS = {
      let vfs = files.makeVFS()
      return StoreVFS(name: vfs.name) { vfs.locks }
    }
    return environment
  }

  /// The file system that injects faults.
  private var faulty: (any FaultySystem)? { files ?? realFiles }

  /// Injects faults into the file system calls and allocations of the next command.
  func arm(_ faults: [PlannedFault]) {
    faulty?.arm(faults.compactMap(FileFault.init))
    if let fault = faults.first(where: { $0.kind == .memory }) {
      FailingAllocator.arm(k: fault.k, from: fault.from)
    }
  }

  /// Disables all faults, and returns for each of the given faults whether it made a call fail.
  func disarm(_ faults: [PlannedFault]) -> [Bool] {
    guard let faulty else { return faults.map { _ in false } }
    let hasMemoryFaultFired = FailingAllocator.isInPlace && FailingAllocator.disarm() > 0
    var tallies = faulty.disarm().makeIterator()
    return faults.map { fault in
      guard FileFault(fault) != nil else { return hasMemoryFaultFired }
      return tallies.next().map { $0.failedCalls > 0 } ?? false
    }
  }

  /// Starts to track writes that are not synced, because a power-off loses them.
  func watchPower() { faulty?.watchPower(syncs) }

  /// The data that a power-off now would leave; `nil` on a real disk, or if writes are not tracked.
  var powerState: PowerState? { files?.powerState }

  /// Whether the power is off.
  var isOff: Bool { faulty?.isOff ?? false }

  /// Turns the power off, unless it is off already.
  func turnOff(_ fault: PlannedFault) { faulty?.turnOff(fault.loss) }

  /// Turns the power on, so that files can be opened again.
  func turnOn() { faulty?.turnOn() }

  /// Keeps the current files as the image from which all later plans of a kind start.
  ///
  /// Every connection must be closed.
  func keepTemplate(kind: String) {
    guard let files else { return }
    templates[kind] = files.snapshot()
  }

  /// Returns whether an image for a kind of plan exists; always `true` in a folder, which has no images.
  func hasTemplate(kind: String) -> Bool { files == nil || templates[kind] != nil }

  private func prepareFolder(seed: UInt64, vfs: String?) -> SystemEnvironment {
    removeStore()
    stores += 1
    let path = storePath
    var environment = SystemEnvironment(
      path: path,
      vfs: vfs,
      clock: clock,
      seed: seed,
      saveFiles: { Self.save(path) }
    )
    environment.isOnDisk = true
    environment.patience = patience
    return environment
  }

  private var storePath: String { folder + "/plan-\(stores).store" }

  /// Copies a store's files into memory, and returns a closure that restores them.
  private static func save(_ path: String) -> @Sendable () -> Void {
    let copies = ["", "-wal"].map { (path + $0, FileManager.default.contents(atPath: path + $0)) }
    return {
      for (path, content) in copies {
        if let content {
          _ = FileManager.default.createFile(atPath: path, contents: content)
        } else if FileManager.default.fileExists(atPath: path) {
          unlink(path)
        }
      }
      unlink(path + "-shm")
    }
  }

  /// Deletes the store of the last plan if the stores are in a folder.
  package func removeStore() {
    guard files == nil, stores > 0 else { return }
    for ending in ["", "-wal", "-shm", "-signal"] { unlink(storePath + ending) }
  }
}

/// The error for a folder that cannot be created, or in which no stores can be written.
package struct StorePlaceError: Error, CustomStringConvertible {
  package let path: String
  package let reason: String

  package var description: String {
    "Stores cannot be kept in \(path): \(reason). Choose a folder that can be written."
  }
}

extension StorePlace {
  /// Resets a system to an empty store for a plan.
  ///
  /// Plans are of one kind if their timestamp rules, models and settings for foreign writes are
  /// equal. Before the first plan of a kind, an image of an empty store is saved, from which all
  /// plans of that kind start; stores in a folder have no images. If a fault of the plan is a
  /// power-off, unsynced writes are tracked, so that the power-off can lose them. They are also
  /// tracked if `mayLosePower` is set, because the plan's later faults are then unknown.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start.
  package func reset(
    _ system: any SystemUnderTest,
    _ header: PlanHeader,
    _ faults: [PlannedFault] = [],
    mayLosePower: Bool = false
  ) throws(SystemFailure) {
    let kind =
      "\(header.timestamps.rawValue) \(header.model.hashValue) \(header.foreignWrites.rawValue)"
    if !hasTemplate(kind: kind) {
      // The system is closed first, so that no connection to another kind's file is used for this file.
      // The seed is fixed, so that the image does not depend on which plan comes first.
      system.close()
      var bare = header
      bare.actors = []
      try system.reset(bare, prepare(seed: 0, kind: kind))
      system.close()
      keepTemplate(kind: kind)
    }
    let losesPower = mayLosePower || faults.contains(where: \.kind.isPowerOff)
    let hasFaults = losesPower || !faults.isEmpty
    // An open connection still has a log, pages and statements of another plan, so that it would
    // make other syncs, reads and allocations than a new connection. A plan with faults may also
    // have ended inside a transaction.
    if hasFaults || hadFaults { system.close() }
    hadFaults = hasFaults
    try system.reset(header, prepare(seed: header.seed, kind: kind, hasFaults: hasFaults))
    if losesPower { watchPower() }
  }
}

/// The data that a power-off would leave, valid until more data are synced.
struct PowerOffRemains {
  /// The state of the store after the power-off.
  let state: StateSketch
  /// The kinds of the events that the power-off causes, except events of actors (their crashes).
  ///
  /// The first element is the power-off itself, as a fault. ``events(down:)`` adds the crashes.
  private let kinds: [EventKind]

  fileprivate init(state: StateSketch, kinds: [EventKind]) {
    self.state = state
    self.kinds = kinds
  }

  /// Returns the events of the power-off, as checkers read them, with crashes of the given actors.
  func events(down: [ActorID]) -> [Event] {
    let crashes = down.map { Event(at: 0, tick: 0, actor: $0, .crashed) }
    func plain(_ kind: EventKind) -> Event {
      Event(at: 0, tick: 0, actor: nil, kind)
    }
    // The call event has a command number that no plan has, and an arbitrary word.
    return [plain(.called(command: .max, word: "clock"))] + kinds.prefix(1).map(plain)
      + crashes
      + kinds.dropFirst().map(plain) + [plain(.ended(command: .max, .ok))]
  }
}

extension Simulator {
  /// Simulates a power-off, reads the data that it leaves, and then undoes it.
  ///
  /// The explorer adds these data to the description of a state.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot be inspected or restored.
  func survivors(_ header: PlanHeader) throws(SystemFailure) -> PowerOffRemains {
    let snapshot = try snapshot(withSystem: true)
    let kinds = loseEverything(.powerOff).filter { $0.actor == nil }.map(\.kind)
    var state = StateSketch(header)
    // The time of the power-off is not part of the state, so the clock is set to a fixed time.
    place.clock.now = PlanClock.start
    if !isBeyondRepair { try system.describe(&state) }
    try goBack(to: snapshot, header, performing: [])
    return PowerOffRemains(state: state, kinds: kinds)
  }
}
