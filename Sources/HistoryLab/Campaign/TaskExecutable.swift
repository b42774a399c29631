import Campaigns
import Foundation

/// The executable file of a worker, from which the worker also starts a process for each task.
///
/// A worker compares its build with the campaign's build only when the worker starts. If a new
/// build replaces the file later, tasks would run with another build. ``requireUnchanged()``
/// detects this.
struct TaskExecutable: Sendable {
  private let path: String
  private let build: String
  private let version: FileVersion

  /// Reads the inode number and modification time of the executable's file, when the worker starts.
  ///
  /// `build` names the campaign's build, which is also the worker's: by a commit, or by a hash of
  /// the executable.
  init(_ path: String, build: String) {
    (self.path, self.build) = (path, build)
    version = FileVersion(path)
  }

  /// Throws a usage error if the file was replaced since the worker started.
  ///
  /// If a hash names the worker's build, a new file with the same hash is accepted. If a commit
  /// names the build, no replacement is accepted: the commit comes from the worker's environment,
  /// and does not identify the file.
  func requireUnchanged() throws(CampaignError) {
    guard FileVersion(path) != version else { return }
    if let hash = CampaignProgram.hash(ofFile: path), build.hasPrefix(hash + ",") { return }
    throw .usage(
      "\"\(path)\" was replaced while this worker ran, so the worker's last task is not counted. "
        + "Start new workers with the build that created the campaign."
    )
  }
}

/// A file's inode number and modification time, which show whether the file was replaced.
struct FileVersion: Equatable {
  private let number: UInt64?
  private let time: Date?

  /// Reads the inode number and modification time of a file; both are `nil` if it is missing.
  init(_ path: String) {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    number = (facts?[.systemFileNumber] as? NSNumber)?.uint64Value
    time = facts?[.modificationDate] as? Date
  }
}
