#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension WorkloadProfile {
  /// The names of the committed profiles.
  package static let names = embedded.keys.sorted()

  /// Returns the committed profile with a name.
  ///
  /// - Throws: ``ProfileError/unknownName(_:)``, which lists those that exist.
  package static func named(_ name: String) throws(ProfileError) -> WorkloadProfile {
    guard let json = embedded[name] else { throw .unknownName(name) }
    return try WorkloadProfile(json: Data(json), source: "the profile \(name)")
  }

  /// The files of `Profiles`, which the compiler embeds in the program.
  private static let embedded: [String: [UInt8]] = [
    "notes": PackageResources.notes_json,
    "photos": PackageResources.photos_json,
  ]
}
