import Basics
import Campaigns
import Commands
import Foundation
import HistoryStore
import Measuring

extension LabError {
  /// Converts an error of a campaign's folder to an error of the command.
  private init(_ error: CampaignError) {
    switch error {
    case .usage(let sentence): self = .usage(sentence)
    case .failed(let sentence): self = .lab(sentence)
    }
  }

  /// Runs a closure, and converts a campaign error that it throws to an error of the command.
  static func mapping<Answer>(
    _ body: () throws(CampaignError) -> Answer
  ) throws(LabError) -> Answer {
    do throws(CampaignError) { return try body() } catch { throw LabError(error) }
  }
}

extension CampaignFolder {
  /// Opens a campaign to work on it with this program.
  static func open(
    _ path: String,
    _ composition: Composition
  ) throws(LabError) -> CampaignFolder {
    try opened { () throws(CampaignError) in
      try CampaignFolder(opening: path, by: .current(composition))
    }
  }

  /// Opens a campaign to read or to drain it, even if a different build created the campaign.
  ///
  /// The workers of a drained campaign start no new tasks.
  static func open(
    _ path: String,
    reader: CampaignProgram? = nil
  ) throws(LabError) -> CampaignFolder {
    try opened { () throws(CampaignError) in try CampaignFolder(opening: path, reader: reader) }
  }

  private static func opened(
    _ open: () throws(CampaignError) -> CampaignFolder
  ) throws(LabError) -> CampaignFolder {
    do throws(LabError) { return try LabError.mapping(open) } catch {
      throw error.hinting("campaign --help")
    }
  }

  /// A sentence that names the differences between the program that opened the campaign and the one
  /// that created it; `nil` if they are equal.
  var differenceSentence: String? {
    guard let differences = reader?.differences(from: program), !differences.isEmpty
    else { return nil }
    return "another program created this campaign: \(differences.joined(separator: "; ")). Add "
      + "tasks and start workers with that build."
  }
}

extension CampaignStatus {
  /// The exit code of commands that show the status of a campaign.
  ///
  /// It is 0 if the campaign's verdict is `valid`, 1 for `invalid`, and 2 for `unknown`.
  var exitCode: ExitCode {
    switch verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }
}

extension CampaignProgram {
  /// Returns the properties of this program, such as its version and build, on which the results of
  /// tasks depend.
  static func current(_ composition: Composition) -> CampaignProgram {
    let environment = RunEnvironment.current(
      sqlite: Store.sqliteVersion,
      commit: ProcessInfo.processInfo.environment["HISTORY_LAB_COMMIT"],
      time: .now(),
      seed: 0
    )
    let build = environment.commit ?? composition.command.flatMap(hash(ofFile:)) ?? "unknown"
    return CampaignProgram(
      lab: ToolSpec.version,
      build: build + (environment.optimized ? ", release" : ", debug"),
      libraries: "Swift \(environment.swift), SQLite \(environment.sqlite)"
    )
  }

  /// Returns a hash of an executable; `nil` if the file cannot be read.
  static func hash(ofFile path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return "executable " + String(data.withUnsafeBytes(hash), radix: 16)
  }

  /// Returns a hash of bytes, computed as in FNV-1a but from words of eight bytes.
  ///
  /// After each word, the high half of the hash is mixed into the low half. The bytes after the last
  /// whole word are added one by one. An executable of 60 MB takes a few hundredths of a second; plain
  /// FNV-1a takes a second.
  static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var (hash, place): (UInt64, Int) = (0xcbf2_9ce4_8422_2325, 0)
    while place + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      hash = (hash ^ word) &* 0x100_0000_01b3
      // The high bits of a word would otherwise affect only the high bits of the hash.
      hash ^= hash >> 32
      place += 8
    }
    for byte in bytes[place...] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }

  /// Returns a name that no other worker has: the machine, the process, and a random number.
  static func workerName(_ composition: Composition) -> String {
    let host =
      ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? "host"
    let plain = host.filter { $0.isLetter || $0.isNumber }
    let random = String(composition.drawSeed() % 0x10000, radix: 16)
    return "\(plain)-\(ProcessInfo.processInfo.processIdentifier)-\(random)"
  }
}
