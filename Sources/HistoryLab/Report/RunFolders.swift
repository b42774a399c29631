import Foundation

/// Finds the folders of runs.
enum RunFolders {
  /// The folder itself if it is that of a run, else those that it holds at any depth, by path.
  ///
  /// Links are not followed, so that no run is found twice.
  ///
  /// - Throws: a usage error if there is no such folder.
  static func runs(in folder: String) throws(LabError) -> [String] {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    if FilePath.state(of: path + "/run.json") == .file { return [path] }
    guard FilePath.state(of: path) == .folder,
      let walker = FileManager.default.enumerator(atPath: path)
    else { throw .usage("the runs in \(folder.quoted) cannot be listed.") }
    let files = walker.compactMap { $0 as? String }.filter { $0.hasSuffix("/run.json") }
    return files.map { path + "/" + $0.dropLast("/run.json".count) }.sorted()
  }

  /// The name of a run: that of its folder.
  static func name(of folder: String) -> String {
    String(folder.split(separator: "/").last ?? "")
  }
}
