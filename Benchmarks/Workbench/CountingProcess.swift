import Foundation
import Measuring

/// A separate process of this command that counts, under an allocator that keeps counts.
enum CountingProcess {
  /// The file in the scratch folder that receives the counts of a benchmark.
  private static let file = "/counted.json"

  /// The stores that the process copies for one size.
  struct Place: Codable {
    var template: StoreTemplate
    var base: StoreTemplate?
    var other: StoreTemplate?
  }

  /// The arguments of the process.
  struct Request: Codable {
    var subject: String
    var folder: String
    var medium: String
    var stores: [Place]
    @HexCoded var seed: UInt64
    var haste: Int
    var condition: String
    var withoutAllocations: String
  }

  /// Counts a benchmark in a separate process.
  static func rows(
    _ pass: CountingPass,
    _ scratch: ScratchFolder,
    _ command: String
  ) throws
    -> [BenchmarkRow]
  {
    let request = Request(
      subject: pass.subject.name,
      folder: scratch.path,
      medium: scratch.medium,
      stores: pass.settings.map {
        Place(template: $0.template, base: $0.baseTemplate, other: $0.otherLayout)
      },
      seed: pass.seed,
      haste: pass.settings.first?.haste ?? 1,
      condition: pass.condition,
      withoutAllocations: JemallocLibrary.absence
    )
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    try HelperProcess.start(command, .count, [text], environment: environment).finish { _ in }
    let path = scratch.path + file
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: path)
    return try JSONDecoder().decode([BenchmarkRow].self, from: data)
  }

  /// The environment variables for such a process.
  ///
  /// They make the order of sets and dictionaries the same in every process.
  static var environment: [String: String] {
    let jemalloc = JemallocLibrary.find()?.environment ?? [:]
    return jemalloc.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
  }

  /// Counts according to the argument, and writes the rows to the folder.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let request = try JSONDecoder().decode(Request.self, from: Data(arguments[0].utf8))
    guard let subject = Subjects.named(request.subject) else {
      throw HelperProcess.WrongArguments()
    }
    let scratch = ScratchFolder(existing: request.folder, medium: request.medium)
    let pass = CountingPass(
      subject: subject,
      settings: request.stores.map { store in
        var setting = BenchmarkSetting(
          historySize: store.template.historySize,
          template: store.template,
          scratch: scratch,
          haste: request.haste
        )
        setting.axis = subject.axis
        setting.baseTemplate = store.base
        setting.otherLayout = store.other
        return setting
      },
      seed: request.seed,
      condition: request.condition,
      withoutAllocations: request.withoutAllocations
    )
    let data = try JSONEncoder().encode(try pass.rows())
    try data.write(to: URL(fileURLWithPath: request.folder + file))
  }
}

/// The jemalloc library, which keeps counts of allocations.
struct JemallocLibrary {
  private let path: String

  /// The message if the library was not found.
  static let absence =
    "jemalloc was not found; get it with apt-get install libjemalloc2 or brew install jemalloc, or "
    + "name the library in HISTORY_LAB_JEMALLOC"

  /// Finds the library at its usual paths, or at the path in the environment.
  static func find() -> JemallocLibrary? {
    let named = ProcessInfo.processInfo.environment["HISTORY_LAB_JEMALLOC"]
    let found = ([named].compactMap(\.self) + usual).first {
      FileManager.default.fileExists(atPath: $0)
    }
    return found.map { JemallocLibrary(path: $0) }
  }

  /// The environment variables that start a process under the library.
  var environment: [String: String] {
    #if canImport(Darwin)
    let preload = "DYLD_INSERT_LIBRARIES"
    #else
    let preload = "LD_PRELOAD"
    #endif
    return [preload: path, "MALLOC_CONF": AllocationCounter.configuration]
  }

  #if canImport(Darwin)
  private static let usual = [
    "/opt/homebrew/lib/libjemalloc.2.dylib", "/usr/local/lib/libjemalloc.2.dylib",
  ]
  #else
  private static let usual = [
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
    "/usr/local/lib",
  ].map { $0 + "/libjemalloc.so.2" }
  #endif
}
