/// An error about a workload profile; its description lists the profiles that exist.
package enum ProfileError: Error, Hashable, Sendable {
  /// No committed profile has the name.
  case unknownName(String)
  /// The input is not a valid profile, for a reason.
  case unreadable(source: String, reason: String)
  /// The profile was made by a newer version.
  case newerVersion(source: String, found: Int, known: Int)
  /// A history contains too little to make a profile of.
  case tooLittle(source: String, reason: String)
}

extension ProfileError: CustomStringConvertible {
  /// The problem, and the names of the committed profiles.
  package var description: String {
    let known = "Profiles that need no file: \(WorkloadProfile.names.joined(separator: ", "))."
    switch self {
    case .unknownName(let name): return "There is no profile \(name.debugDescription). \(known)"
    case .unreadable(let source, let reason):
      return "\(source) is not a workload profile: \(reason). \(known)"
    case .newerVersion(let source, let found, let version):
      return
        "\(source) is a workload profile of version \(found); this lab reads up to \(version). "
        + "Update the lab. \(known)"
    case .tooLittle(let source, let reason):
      return "\(source) holds too little history to resemble: \(reason). \(known)"
    }
  }
}
