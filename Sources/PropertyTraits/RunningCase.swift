import Foundation
import PropertyTesting

/// A file that contains the running case, so that the case is known after a trap.
///
/// The file is mapped into memory: noting a case only copies bytes, and the bytes stay in the file
/// when the process ends. The process holds a lock on the file until it ends.
final class RunningCase: @unchecked Sendable {
  /// The size of the file in bytes; the text of a longer case is cut off.
  private static let capacity = 1 << 20

  private let file: URL
  private let handle: Int32
  private let memory: UnsafeMutableRawPointer
  /// The text after the case in the file, which explains how to repeat the run.
  private let footer: String
  /// Whether the file for the running case contains a seed now, and not a sequence of choices.
  private var isSeed = false

  /// Creates and locks the file, which then receives each case before the case runs.
  ///
  /// The lock shows other processes that this process is still running. `footer` is written after
  /// the case; it explains how to repeat the run. The result is `nil` if the file cannot be
  /// created, mapped or locked. The run then continues without a file.
  init?(_ file: URL, footer: String) {
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    let handle = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard handle >= 0 else { return nil }
    guard flock(handle, LOCK_EX | LOCK_NB) == 0, ftruncate(handle, 0) == 0,
      ftruncate(handle, off_t(Self.capacity)) == 0,
      let mapped = mmap(nil, Self.capacity, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0),
      mapped != MAP_FAILED
    else {
      close(handle)
      return nil
    }
    (self.file, self.handle, self.footer) = (file, handle, footer)
    memory = mapped
  }

  deinit {
    munmap(memory, Self.capacity)
    // A child that is being started may briefly have the same file open.
    _ = flock(handle, LOCK_UN)
    close(handle)
  }

  /// Replaces the case in the file by the seed from which the next case is generated.
  func note(_ seed: UInt64) {
    if !isSeed { note("\(NotedCase.seedPrefix)00000000000000000000\n\(footer)") }
    isSeed = true
    var (rest, place) = (seed, NotedCase.seedPrefix.utf8.count + 20)
    for _ in 0..<20 {
      place -= 1
      memory.storeBytes(of: UInt8(48 + rest % 10), toByteOffset: place, as: UInt8.self)
      rest /= 10
    }
  }

  /// Replaces the case in the file by the choices that the next case replays.
  func note(_ sequence: ChoiceSequence?) {
    isSeed = false
    note("\(sequence ?? ChoiceSequence())\n\(footer)")
  }

  private func note(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let count = min(bytes.count, Self.capacity - 1)
      if let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: count) }
      memory.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
    }
  }

  /// Removes the file that contains the running case; call this after the last case.
  func remove() { unlink(file.path) }

  /// Returns the case in a file that an ended process has left, and removes the file.
  ///
  /// - Returns: The case that was running when the process ended; `nil` if there is none, or if the
  ///   process is still running.
  static func takeLeft(in file: URL) -> NotedCase? {
    let handle = open(file.path, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { return nil }
    defer { close(handle) }
    guard flock(handle, LOCK_EX | LOCK_NB) == 0 else { return nil }
    defer { unlink(file.path) }
    guard let data = FileManager.default.contents(atPath: file.path) else { return nil }
    let line = String(decoding: data.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
    return NotedCase(line)
  }
}

/// A case as a line of text: a seed, or a sequence of choices.
enum NotedCase: LosslessStringConvertible, Hashable, Sendable {
  case seed(UInt64)
  case sequence(ChoiceSequence)

  static let seedPrefix = "seed "

  init?(_ line: String) {
    if line.hasPrefix(Self.seedPrefix), let seed = UInt64(line.dropFirst(Self.seedPrefix.count)) {
      self = .seed(seed)
    } else if let sequence = ChoiceSequence(line) {
      self = .sequence(sequence)
    } else {
      return nil
    }
  }

  var description: String {
    switch self {
    case .seed(let seed): "\(Self.seedPrefix)\(seed)"
    case .sequence(let sequence): "\(sequence)"
    }
  }

  /// A new choice source, from which a property draws this case.
  var source: ChoiceSource {
    switch self {
    case .seed(let seed): ChoiceSource(seed: seed)
    case .sequence(let sequence): ChoiceSource(replaying: sequence)
    }
  }
}

/// The cases of a property that ended their process with a trap.
///
/// The cases are stored in a file next to the corpus, and run only in child processes. After the
/// cases have run there, the file contains only the shrunk case that traps. If the run found no trap,
/// the file is removed.
struct TrappedCases: Sendable {
  private let corpus: Corpus
  /// The hash of a parameterized test's arguments, then a dot; empty for a test without arguments.
  ///
  /// The names of files next to the corpus contain this text.
  private let suffix: String

  init(_ corpus: Corpus, suffix: String) { (self.corpus, self.suffix) = (corpus, suffix) }

  /// The file that contains the running case.
  var running: URL { corpus.file.appendingPathExtension("\(suffix)running") }

  private var file: URL { corpus.file.appendingPathExtension("\(suffix)traps") }

  /// Returns the stored cases, and the case that was running when an earlier process ended, if any.
  ///
  /// That case is added to the stored ones, and the file ``running`` is removed.
  func take() throws -> [NotedCase] {
    var cases: [NotedCase] = []
    if let text = try? String(contentsOf: file, encoding: .utf8) {
      cases = text.split(whereSeparator: \.isNewline).compactMap { NotedCase(String($0)) }
    }
    if let left = RunningCase.takeLeft(in: running), !cases.contains(left) {
      cases.append(left)
      try write(cases)
    }
    return cases
  }

  /// Replaces the cases in the file; if there are none, removes the file.
  func write(_ cases: [NotedCase]) throws {
    if cases.isEmpty {
      unlink(file.path)
    } else {
      let lines = cases.map { $0.description + "\n" }
      try Data(lines.joined().utf8).write(to: file, options: .atomic)
    }
  }
}
