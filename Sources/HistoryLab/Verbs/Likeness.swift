/// The model for generated plans.
enum Likeness: Hashable, Sendable {
  /// The committed profile of Photos stores.
  case photos
  /// The committed profile of a Notes store.
  case notes
  /// The history of a store file.
  case file(String)

  /// The names of the committed profiles.
  static let profiles = ["photos", "notes"]

  static let reader = ValueReader(
    placeholder: "photos|notes|FILE",
    expectation: "photos, notes or a store file"
  ) { Likeness($0) }

  /// Parses a profile's name or a path; write `./photos` for a file that has the name of a profile.
  init?(_ text: String) {
    switch text {
    case "": return nil
    case "photos": self = .photos
    case "notes": self = .notes
    default: self = .file(text)
    }
  }

  /// The text to type for this choice.
  var text: String {
    switch self {
    case .photos: "photos"
    case .notes: "notes"
    case .file(let path): path
    }
  }

  /// Returns this choice after checking that its file, if any, can be read.
  ///
  /// - Throws: A usage error, which suggests a profile if the missing file has a similar name.
  func checked() throws(LabError) -> Likeness {
    guard case .file(let path) = self else { return self }
    guard FilePath.state(of: path) != .absent else {
      let hint = NearestWord.hint(for: path, among: Self.profiles)
      let profiles = Self.profiles.joinedWithAnd
      throw .usage("--like: there is no file \(path.quoted); \(profiles) need no file.\(hint)")
    }
    try FilePath.checkReadable(path, for: "--like")
    return self
  }
}
