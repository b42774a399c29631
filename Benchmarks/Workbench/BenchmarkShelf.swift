import HistoryStore
import Measuring

/// The stores of a run, each built once, in memory and on a disk.
final class BenchmarkShelf {
  private let run: BenchmarkRun
  /// Where the stores are built.
  let memory: ScratchFolder
  /// Where copies lie for conditions that tell something only of a disk; nothing without them.
  private let disk: ScratchFolder?

  /// Makes the folders; whoever made the shelf removes it.
  init(_ run: BenchmarkRun) throws {
    self.run = run
    memory = try ScratchFolder(in: run.scratchParent)
    let wantsDisk = run.subjects.contains { $0.axis?.needsDisk == true }
    disk = wantsDisk ? try ScratchFolder(in: run.scratchParent, onDisk: true) : nil
  }

  /// Removes the folders with everything in them.
  func remove() throws {
    let results = [memory, disk].compactMap(\.self).map { folder in Result { try folder.remove() } }
    for result in results { try result.get() }
  }

  /// Builds all stores that the run begins with, and tells how many transactions were written since it
  /// last did.
  func build(progress: (Int) throws -> Void) throws {
    for (shape, sizes) in run.neededStores.sorted(by: { $0.key.suffix < $1.key.suffix }) {
      let builder = TemplateBuilder(folder: memory.path, seed: BenchmarkRandom.seed, shape: shape)
      _ = try builder.build(sizes: sizes.sorted(), progress: progress)
    }
  }

  /// Where the copies of a benchmark lie.
  func scratch(for subject: BenchmarkSubject) -> ScratchFolder {
    subject.axis?.needsDisk == true ? disk ?? memory : memory
  }

  /// What a benchmark works with, at each of its sizes.
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
  /// What it works with at one size, where the stores lie that were built in a folder.
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

  /// How the stores are built that it begins with.
  private var shape: StoreShape { axis?.shape ?? .base }

  /// The shapes of all stores that it works with.
  var shapes: Set<StoreShape> {
    var shapes: Set = [.base, shape]
    if comparesLayouts { shapes.insert(StoreShape(layout: .coreData)) }
    return shapes
  }

  /// What rows tell of the conditions that all benchmarks share.
  func sharedCondition(on medium: String) -> String {
    axis == .cold ? medium : "warm, \(medium)"
  }
}
