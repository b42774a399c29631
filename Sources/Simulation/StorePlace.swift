import Faults
import Foundation
package import Systems
import Traces

/// Where the stores of a simulation lie: on the heap, or in a folder as real files.
package final class StorePlace {
  private let files: HeapFileSystem?
  /// What makes calls fail in a folder; plans without faults have the platform's own file system.
  private let realFiles: RealFileSystem?
  private let folder: String
  private let syncs: PowerWatch
  private var stores = 0
  /// The clock of the plan that runs; the file system reads it too.
  package let clock: PlanClock
  /// Fresh stores by model and timestamps, so that a plan does not run the schema again.
  private var templates: [String: FileSystemImage] = [:]

  private init(
    files: HeapFileSystem?,
    folder: String,
    clock: PlanClock,
    syncs: PowerWatch = .honest
  ) {
    self.files = files
    realFiles = files == nil ? RealFileSystem() : nil
    self.syncs = syncs
    self.folder = folder
    self.clock = clock
  }

  /// A place on the heap: real WAL and several connections, nothing on disk.
  ///
  /// A disk that ignores syncs is for seeing that power-offs then do damage.
  package static func heap(ignoringSyncs: Bool = false) -> StorePlace {
    // Before anything uses SQLite, which later would be too late.
    _ = FailingAllocator.isInPlace
    let clock = PlanClock()
    return StorePlace(
      files: HeapFileSystem(clock: { clock.now }),
      folder: "",
      clock: clock,
      syncs: ignoringSyncs ? .ignoringSyncs : .honest
    )
  }

  /// Whether the lab can make happen what some faults say.
  func canArm(_ faults: [PlannedFault]) -> Bool {
    FailingAllocator.isInPlace || !faults.contains { $0.kind == .memory }
  }

  /// A folder that holds a store for each plan while the plan runs.
  ///
  /// - Throws: a sentence when the folder cannot be made or written.
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

  /// Makes room for the store of one plan.
  ///
  /// The kind is what the plan's store has in common with others: they start from one image.
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
    environment.writeCount = { files.writeCount }
    return environment
  }

  /// What makes calls fail.
  private var faulty: (any FaultySystem)? { files ?? realFiles }

  /// Makes the calls of the next command fail as its faults say.
  func arm(_ faults: [PlannedFault]) {
    faulty?.arm(faults.compactMap(FileFault.init))
    if let fault = faults.first(where: { $0.kind == .memory }) {
      FailingAllocator.arm(k: fault.k, from: fault.from)
    }
  }

  /// Ends all faults, and answers whether each one struck.
  func disarm(_ faults: [PlannedFault]) -> [Bool] {
    guard let faulty else { return faults.map { _ in false } }
    let isMemoryStruck = FailingAllocator.isInPlace && FailingAllocator.disarm() > 0
    var tallies = faulty.disarm().makeIterator()
    return faults.map { fault in
      guard FileFault(fault) != nil else { return isMemoryStruck }
      return tallies.next().map { $0.failedCalls > 0 } ?? false
    }
  }

  /// From now on a power-off loses what is not synced.
  func watchPower() { faulty?.watchPower(syncs) }

  /// What a power-off would leave now; nothing on a real disk, or when nobody wants to know.
  var powerStanding: PowerStanding? { files?.powerStanding }

  /// Whether the power is off.
  var isOff: Bool { faulty?.isOff ?? false }

  /// Lets the power go, if it has not gone yet.
  func turnOff(_ fault: PlannedFault) { faulty?.turnOff(fault.loss) }

  /// Turns the power on: files can be opened again.
  func turnOn() { faulty?.turnOn() }

  /// Keeps the files as they are as the start of every later plan of a kind; every connection must be
  /// closed.
  func keepTemplate(kind: String) {
    guard let files else { return }
    templates[kind] = files.snapshot()
  }

  /// Whether plans of a kind start from an image.
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
    return environment
  }

  private var storePath: String { folder + "/plan-\(stores).store" }

  /// Copies a store's files into memory, and answers how to put them back.
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

  /// Removes the store of the last plan, if it lies on disk.
  package func removeStore() {
    guard files == nil, stores > 0 else { return }
    for ending in ["", "-wal", "-shm", "-signal"] { unlink(storePath + ending) }
  }
}

/// Why stores cannot lie in a folder.
package struct StorePlaceError: Error, CustomStringConvertible {
  package let path: String
  package let reason: String

  package var description: String {
    "Stores cannot be kept in \(path): \(reason). Name a folder that can be written."
  }
}
