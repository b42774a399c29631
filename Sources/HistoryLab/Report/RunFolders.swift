import Foundation

/// A search for the folders of runs.
enum RunFolders {
  /// Returns the folder itself if it is that of a run, else all run folders below it.
  ///
  /// They are sorted by path. Symbolic links are not followed, so that no run is found twice.
  ///
  /// - Throws: A usage error if the folder does not exist or cannot be listed.
  static func runs(in folder: String) throws(LabError) -> [String] {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    if FilePath.state(of: path + "/run.json") == .file { return [path] }
    guard FilePath.state(of: path) == .folder,
      let walker = FileManager.default.enumerator(atPath: path)
    else { throw .usage("the runs in \(folder.quoted) cannot be listed.") }
    let files = walker.compactMap { $0 as? String }.filter { $0.hasSuffix("/run.json") }
    return files.map { path + "/" + $0.dropLast("/run.json".count) }.sorted()
  }

  /// Returns the name of a run, which is the name of its folder.
  static func name(of folder: String) -> String {
    String(folder.split(separator: "/").last ?? "")
  }
}
