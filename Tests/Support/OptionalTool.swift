import Foundation
package import Testing

/// A tool that some tests need and that a machine may lack; without it they are skipped.
///
/// This is the only list of such tools. A skipped test has the reason "needs TOOL: COMMAND", by
/// which `scripts/test` counts and names it.
package enum OptionalTool: String, CaseIterable, Sendable {
  /// A headless browser that opens pages, and Python, which drives it.
  case chromium
  /// The tool that draws the charts of reports.
  case chartTool
  /// The readers of other projects for exported files.
  case formatReaders
  /// The permission to mount a file system, which fills up in place of the disk.
  case mountableFileSystem
  /// The user `nobody`, who can read the test program.
  case secondUser
  /// An allocator that counts.
  case jemalloc
  /// Python, the language of an example system under test.
  case python3
  /// Three programs that write to a store's file with plain SQL: the shell of SQLite, Python and Perl.
  case sqlPrograms
  /// The system's processes as files, below `/proc`.
  case processFiles
  /// The program that reads and makes repositories of commits.
  case git
  /// A program that counts the instructions of another one.
  case valgrind
  /// Stores that Core Data wrote, in a folder `shared/stores` above the package.
  case realStores

  /// The command or sentence that enables the tests which need it.
  package var command: String {
    switch self {
    case .chromium: "apt-get install chromium python3"
    case .chartTool: "scripts/setup"
    case .formatReaders: "scripts/formats-check"
    case .mountableFileSystem: "run the tests as root, outside of a container"
    case .secondUser: "run the tests as an ordinary user, or clone to a folder that all can read"
    case .jemalloc: "scripts/setup"
    case .python3: "scripts/setup"
    case .sqlPrograms: "scripts/setup"
    case .processFiles: "mount -t proc proc /proc"
    case .git: "apt-get install git"
    case .valgrind: "apt-get install valgrind"
    case .realStores: "copy Core Data's stores to a folder shared/stores above the package"
    }
  }

  /// The reason for skipping a test that needs it.
  package var reason: String { "needs \(rawValue): \(command)" }

  /// Whether the tests may use it: it is installed and not hidden.
  ///
  /// The environment variable `HISTORY_LAB_HIDE` hides tools: names separated by commas, or `all`.
  /// Tools that the product finds itself count as installed: see ``Trait/needs(_:where:)``.
  package var isPresent: Bool {
    isPresent(hiding: ProcessInfo.processInfo.environment["HISTORY_LAB_HIDE"] ?? "")
  }

  package func isPresent(hiding hidden: String) -> Bool {
    !hidden.split(separator: ",").contains { $0 == "all" || $0 == rawValue } && isFound
  }

  private var isFound: Bool {
    switch self {
    case .chromium:
      Self.hasCommand("python3")
        && ["chromium", "chromium-browser", "google-chrome", "chrome"].contains(
          where: Self.hasCommand
        )
    case .chartTool: Repository.hasFile(".tools/bin/python")
    case .formatReaders:
      Repository.hasFile(".tools/readers/bin/python")
        && Repository.hasFile(".tools/readers/installed")
    case .mountableFileSystem, .jemalloc: true
    case .secondUser: Self.othersCanReadTests
    case .python3: Self.hasCommand("python3")
    case .sqlPrograms:
      ["sqlite3", "python3", "perl"].allSatisfy(Self.hasCommand) && Self.perlHasSQLite
    case .processFiles: FileManager.default.fileExists(atPath: "/proc/self/stat")
    case .git: Self.hasCommand("git")
    case .valgrind: Self.hasCommand("valgrind") && Self.hasCommand("strip")
    case .realStores: Repository.realStores != nil
    }
  }

  /// Whether this is an ordinary user, or others may read the test program and its libraries.
  private static var othersCanReadTests: Bool {
    guard geteuid() == 0 else { return true }
    guard let program = Bundle.main.executablePath else { return false }
    // The libraries are in the toolchain, which may be in root's home folder.
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let libraries = maps.split(separator: "\n").compactMap { line in
      line.hasSuffix(".so") ? line.firstIndex(of: "/").map { String(line[$0...]) } : nil
    }
    return Set(libraries + [program]).allSatisfy(othersCanRead)
  }

  /// Returns whether others may read a file and enter all of its parent folders.
  private static func othersCanRead(_ path: String) -> Bool {
    var url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    var needed: mode_t = S_IROTH
    while true {
      var status = stat()
      guard stat(url.path, &status) == 0, status.st_mode & needed == needed else { return false }
      if url.path == "/" { return true }
      url.deleteLastPathComponent()
      needed = S_IXOTH
    }
  }

  /// Whether Perl has its module for SQLite.
  private static var perlHasSQLite: Bool {
    let perl = Process()
    perl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    perl.arguments = ["perl", "-MDBD::SQLite", "-e", "1"]
    perl.standardError = FileHandle.nullDevice
    guard (try? perl.run()) != nil else { return false }
    perl.waitUntilExit()
    return perl.terminationStatus == 0
  }

  /// Whether a command is on the PATH.
  private static func hasCommand(_ name: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if a tool is missing, or if the product's own probe reports that.
  package static func needs(
    _ tool: OptionalTool,
    where isPossible: @escaping @Sendable () async throws -> Bool = { true }
  ) -> ConditionTrait {
    .enabled(Comment(rawValue: tool.reason)) {
      // Looking for a tool may start a process and wait for its end.
      guard await onOwnThread({ tool.isPresent }) else { return false }
      return try await isPossible()
    }
  }
}

/// The folder of this package.
package enum Repository {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the path of a file of the package.
  package static func path(_ file: String) -> String { root.appendingPathComponent(file).path }

  /// The first folder `shared/stores` above the package; `nil` if there is none.
  package static var realStores: String? {
    var folder = root
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let stores = folder.appendingPathComponent("shared/stores").path
      if FileManager.default.fileExists(atPath: stores) { return stores }
    }
    return nil
  }

  fileprivate static func hasFile(_ file: String) -> Bool {
    FileManager.default.fileExists(atPath: path(file))
  }
}
