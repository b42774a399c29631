import Foundation

extension RunFolder {
  /// Opens the folder of an interrupted run, which must exist.
  package init(resuming path: String) {
    let whole = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let runs = (whole as NSString).deletingLastPathComponent
    let parent = runs.hasSuffix("/runs") ? (runs as NSString).deletingLastPathComponent : runs
    self.init(path: whole, latest: parent + "/latest")
  }
}
