@testable import Campaigns

extension CampaignProgram {
  /// A program that created a campaign and works on it.
  static let sample = CampaignProgram(lab: "1", build: "abc, release", libraries: "Swift 6")
}

extension CampaignFolder {
  /// Returns a worker that takes over the tasks of workers without a sign of life for `patience`.
  func worker(
    _ name: String,
    patience: Duration = .seconds(60),
    isInterrupted: @escaping () -> Bool = { false },
    run: @escaping CampaignWorker.Run
  ) -> CampaignWorker {
    CampaignWorker(self, name: name, patience: patience, isInterrupted: isInterrupted, run: run)
  }
}
