import Basics
import Foundation
import Traces

/// The symptoms of failures that an older version of the lab recorded without symptoms.
///
/// A symptom is a broken invariant and the first words of the sentence about it
/// (``FailureSymptom``). The checkers of this build find the symptoms in the counterexamples. One
/// file for each counterexample and build keeps the result in the campaign's subfolder `progress`,
/// so that a build checks each counterexample only once. The counterexample and the build determine
/// the symptoms and the file's name, so the content of a file never changes.
struct FoundSymptoms {
  private let folder: CampaignFolder
  private var place: String { "\(folder.path)/progress" }

  init(in folder: CampaignFolder) { self.folder = folder }

  /// Returns the symptoms of a failure; `nil` if its counterexample cannot be read.
  func symptoms(of failure: KnownFailure) -> [FailureSymptom]? {
    guard let text = FileManager.default.contents(atPath: "\(folder.path)/\(failure.path)")
    else { return nil }
    let file = file(of: failure, text)
    if let file, let kept = Self.read(file) { return kept }
    guard let found = Self.search(text) else { return nil }
    if let file { keep(found, file) }
    return found
  }

  /// Returns the file for the symptoms that this build finds in a counterexample.
  ///
  /// The result is `nil` if the build is unknown; the symptoms are then not saved.
  private func file(of failure: KnownFailure, _ text: Data) -> String? {
    guard let reader = folder.reader else { return nil }
    let build = "\(reader.lab)\n\(reader.build)\n\(reader.libraries)\n"
    let hash = String((Data(build.utf8) + text).stableHash, radix: 16)
    return "\(place)/symptoms-\(failure.key)-\(hash).json"
  }

  /// Returns the content of a file; `nil` if there is none, or if it is damaged.
  private static func read(_ file: String) -> [FailureSymptom]? {
    do throws(CampaignError) { return try Files.read(file) } catch { return nil }
  }

  /// Runs the checkers on a counterexample; `nil` if it is damaged.
  private static func search(_ text: Data) -> [FailureSymptom]? {
    do throws(FormatError) {
      let found = try CounterexampleCodec.decode(String(decoding: text, as: UTF8.self))
      return FailureSymptom.all(of: found.trace, breaking: found.violation)
    } catch {
      return nil
    }
  }

  /// Writes symptoms to a file; does nothing if the folder cannot be written.
  private func keep(_ symptoms: [FailureSymptom], _ file: String) {
    do throws(CampaignError) {
      try Files.makeFolder(place)
      try Files.replace(file, symptoms)
    } catch {
      return
    }
  }
}
