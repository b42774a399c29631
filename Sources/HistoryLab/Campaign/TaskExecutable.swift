import Campaigns
import Foundation

/// The executable of a worker, which also runs the worker's tasks as new processes.
///
/// A new build may replace the file while the worker runs. Tasks would then run another program than
/// the one that the worker has compared with the campaign's.
struct TaskExecutable: Sendable {
  private let path: String
  private let build: String
  private let version: FileVersion

  /// Reads the file's version when the worker starts; `build` is that of the worker and of the campaign.
  init(_ path: String, build: String) {
    (self.path, self.build) = (path, build)
    version = FileVersion(path)
  }

  /// Throws a usage error if the file was replaced since the worker started.
  ///
  /// A copy of the same build is accepted if the campaign knows the build by its hash. A commit does
  /// not identify the file, because it comes from the environment of the worker.
  func requireUnchanged() throws(CampaignError) {
    guard FileVersion(path) != version else { return }
    if let hash = CampaignProgram.hash(ofFile: path), build.hasPrefix(hash + ",") { return }
    throw .usage(
      "\"\(path)\" was replaced while this worker ran, so its last task is not counted. Start new workers "
        + "with the build that created the campaign."
    )
  }
}

/// A file's number and time, one of which changes when another file takes its place.
struct FileVersion: Equatable {
  private let number: UInt64?
  private let time: Date?

  /// Reads the number and the time of a file; both are `nil` if it is missing.
  init(_ path: String) {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    number = (facts?[.systemFileNumber] as? NSNumber)?.uint64Value
    time = facts?[.modificationDate] as? Date
  }
}
