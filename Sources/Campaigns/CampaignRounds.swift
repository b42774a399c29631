/// The progress of a group of tasks that explores plans in rounds, one round for each length of
/// plans.
package struct RoundProgress: Codable, Hashable, Sendable {
  package let group: Int
  /// The greatest length of the plans.
  package let depth: Int
  /// The length up to which every plan was explored; `nil` if not even the first round is complete.
  package let completeLength: Int?
  /// The number of tasks with a result in the first incomplete round; 0 if all rounds are complete.
  ///
  /// A round consists of the tasks that explore plans of one length.
  package let done: Int
  /// The number of all tasks in the first incomplete round (see ``done``); 0 if all are complete.
  package let count: Int

  /// Creates the progress of a group of tasks; `nil` if the group does not explore plans in rounds.
  init?(group: Int, _ tasks: [CampaignTask], _ results: [String: TaskResult]) {
    let slices = tasks.filter { $0.round != nil && !$0.joinsRounds }
    guard let depth = slices.compactMap(\.round).max() else { return nil }
    let rounds = Dictionary(grouping: slices) { $0.round ?? 0 }
    let next = (0...depth).first { round in
      (rounds[round] ?? []).contains { results[$0.name]?.code != 0 }
    }
    self.group = group
    self.depth = depth
    completeLength = next.map { $0 == 0 ? nil : $0 - 1 } ?? depth
    let open = next.flatMap { rounds[$0] } ?? []
    (done, count) = (open.count { results[$0.name] != nil }, open.count)
  }
}

extension CampaignFolder {
  /// Returns the folder with the results of a group: of all tasks that were added together.
  func results(ofGroup group: Int) -> String { "\(path)/done/\(group)" }

  /// Returns the reason why a task cannot be done, as a clause; `nil` if it can.
  ///
  /// A task cannot be done if a task of an earlier round of its group was given up. The last task of
  /// a group, which joins the results, can always be done.
  ///
  /// - Complexity: O(tasks of a round), one file each.
  func obstacle(to task: CampaignTask, _ tasks: [CampaignTask]) throws(CampaignError) -> String? {
    guard let round = task.round, round > 0, !task.joinsRounds else { return nil }
    // If an earlier round has an obstacle, the round before this one was given up too.
    guard try givenUp(in: round - 1, of: task.group, tasks) != nil else { return nil }
    for round in 0..<round {
      guard let result = try givenUp(in: round, of: task.group, tasks) else { continue }
      let covered = round == 0 ? "no length is complete" : "lengths are complete up to \(round - 1)"
      let reason = result.because ?? ""
      return "\(result.task) of length \(round) was given up, so \(covered): \(reason)"
    }
    return nil
  }

  private func givenUp(
    in round: Int,
    of group: Int,
    _ tasks: [CampaignTask]
  ) throws(CampaignError) -> TaskResult? {
    for task in tasks where task.group == group && task.round == round {
      let result: TaskResult? = try read(TaskResult.file, inResultOf: task.name)
      if let result, result.code == nil { return result }
    }
    return nil
  }
}
