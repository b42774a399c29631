import HistoryStore
import Measuring

/// The prebuilt stores of a run, and the folders for their copies in memory and on disk.
final class BenchmarkShelf {
  private let run: BenchmarkRun
  /// The folder in which the stores are built.
  let memory: ScratchFolder
  /// The folder for copies on disk, or `nil` if no condition of the run needs one.
  private let disk: ScratchFolder?

  /// Creates the folders; the caller has to remove them with ``remove()``.
  init(_ run: BenchmarkRun) throws {
    self.run = run
    memory = try ScratchFolder(in: run.scratchParent)
    let wantsDisk = run.subjects.contains { $0.axis?.needsDisk == true }
    disk = wantsDisk ? try ScratchFolder(in: run.scratchParent, onDisk: true) : nil
  }

  /// Removes the folders with all their files.
  func remove() throws {
    let results = [memory, disk].compactMap(\.self).map { folder in Result { try folder.remove() } }
    for result in results { try result.get() }
  }

  /// Builds all stores that the run needs at the start.
  ///
  /// The `progress` closure receives the number of transactions written since its last call.
  func build(progress: (Int) throws -> Void) throws {
    for (shape, sizes) in run.neededStores.sorted(by: { $0.key.suffix < $1.key.suffix }) {
      let builder = TemplateBuilder(folder: memory.path, seed: BenchmarkRandom.seed, shape: shape)
      _ = try builder.build(sizes: sizes.sorted(), progress: progress)
    }
  }

  /// Returns the folder for the copies of a benchmark.
  func scratch(for subject: BenchmarkSubject) -> ScratchFolder {
    subject.axis?.needsDisk == true ? disk ?? memory : memory
  }

  /// Returns the settings of a benchmark, one per history size.
  func settings(for subject: BenchmarkSubject) -> [BenchmarkSetting] {
    let scratch = scratch(for: subject)
    return run.sizes(of: subject).map { size in
      var setting = subject.setting(size, memory.path, scratch, haste: run.haste)
      setting.plannedRate = run.plannedRate
      return setting
    }
  }
}

extension BenchmarkSubject {
  /// Returns the setting at one history size, for stores that were built in a folder.
  func setting(
    _ size: Int,
    _ folder: String,
    _ scratch: ScratchFolder,
    haste: Int
  ) -> BenchmarkSetting {
    func template(_ shape: StoreShape) -> StoreTemplate {
      StoreTemplate(historySize: size, path: TemplateBuilder.path(of: size, in: folder, shape))
    }
    var setting = BenchmarkSetting(
      historySize: size,
      template: template(shape),
      scratch: scratch,
      haste: haste
    )
    setting.axis = axis
    setting.waitsForDisk = axis == .full
    setting.baseTemplate = template(.base)
    if comparesLayouts { setting.otherLayout = template(StoreShape(layout: .coreData)) }
    return setting
  }

  /// The shape of the stores that the benchmark starts with.
  private var shape: StoreShape { axis?.shape ?? .base }

  /// The shapes of all stores that the benchmark uses.
  var shapes: Set<StoreShape> {
    var shapes: Set = [.base, shape]
    if comparesLayouts { shapes.insert(StoreShape(layout: .coreData)) }
    return shapes
  }

  /// Returns the part of a row's condition that all benchmarks share.
  func sharedCondition(on medium: String) -> String {
    axis == .cold ? medium : "warm, \(medium)"
  }
}
