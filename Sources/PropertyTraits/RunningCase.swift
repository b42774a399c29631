import Foundation
import PropertyTesting

/// A file that contains the case that is running, so that a trap does not lose it.
///
/// The file is mapped into memory: noting a case is a copy of some bytes, and what was copied
/// outlives the process.
final class RunningCase: @unchecked Sendable {
  /// The size of the file in bytes; longer texts are cut off.
  private static let capacity = 1 << 16

  private let file: URL
  private let memory: UnsafeMutableRawPointer

  /// Creates the file; `nil` if it cannot be created or mapped, since no case needs it.
  init?(_ file: URL) {
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    let handle = open(file.path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    guard handle >= 0 else { return nil }
    defer { close(handle) }
    guard ftruncate(handle, off_t(Self.capacity)) == 0 else { return nil }
    let mapped = mmap(nil, Self.capacity, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0)
    guard let mapped, mapped != MAP_FAILED else { return nil }
    self.file = file
    memory = mapped
  }

  deinit { munmap(memory, Self.capacity) }

  /// Notes a case as text, in place of the case before.
  func note(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let count = min(bytes.count, Self.capacity - 1)
      if let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: count) }
      memory.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
    }
  }

  /// Removes the file, after the last case.
  func remove() { unlink(file.path) }

  /// Returns the case within which the process ended that wrote the file; `nil` if there is none.
  static func left(in file: URL) -> String? {
    guard let data = FileManager.default.contents(atPath: file.path) else { return nil }
    let text = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}

/// The case of a property that a process has not finished, because it trapped or was ended.
struct UnfinishedCase: Sendable {
  /// The name of the test.
  private let name: String
  private let corpus: Corpus?
  /// The command that runs all cases again.
  let repeating: String
  private let seedSetting: String

  init(_ name: String, seed: UInt64, _ corpus: Corpus?) {
    self.name = name
    self.corpus = corpus
    seedSetting = "PROPERTY_SEED=\(seed)"
    repeating = "\(seedSetting) swift test --filter '\(name)'"
  }

  /// Prints the seed, so that a run which traps can be repeated.
  func saySeed() { say("\(name): \(seedSetting)") }

  /// Creates the file of the running case; `nil` without a corpus.
  ///
  /// A file that cannot be written is reported once: without it a trap loses its case.
  func begin(warn: ((String) -> Void)? = nil) -> RunningCase? {
    guard let file else { return nil }
    if let running = RunningCase(file) { return running }
    (warn ?? say)(
      "\(name): \(file.path) cannot be written, so a case that traps would be lost. "
        + "Choose another corpus folder, or repeat all cases with \(seedSetting)."
    )
    return nil
  }

  /// Prints the case within which the last process ended, and adds it to the corpus.
  func reportEarlier() throws {
    guard let file, let left = RunningCase.left(in: file) else { return }
    say("\(name): the last run ended within a case, as by a trap:\n\(left)")
    guard let line = left.firstMatch(of: /PROPERTY_REPLAY='([^']*)'/)?.output.1 else { return }
    if let sequence = ChoiceSequence(String(line)) { try corpus?.add(sequence) }
  }

  /// Returns a case as text: its values, and the command that runs it alone.
  func text(_ values: String, _ source: ChoiceSource) -> String {
    "\(values)\nReplay: PROPERTY_REPLAY='\(source.sequence)' swift test --filter '\(name)'"
  }

  private var file: URL? { corpus?.file.appendingPathExtension("running") }

  /// Prints a line on standard error without buffering: a trap would discard buffered output.
  private func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
