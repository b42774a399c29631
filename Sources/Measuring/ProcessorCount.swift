import Foundation

/// The number of processors that the process may use.
///
/// It is the lowest of what the scheduler's affinity mask (`taskset`, cpusets), the cgroup's
/// processor time, and the job scheduler allow.
package enum ProcessorCount {
  /// The number for this process, at least 1.
  package static var available: Int {
    least(
      online: ProcessInfo.processInfo.activeProcessorCount,
      environment: ProcessInfo.processInfo.environment,
      read: { path in
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
      }
    )
  }

  /// Returns the lowest of all limits, at least 1.
  ///
  /// `read` returns the text of a file, or `nil`.
  static func least(
    online: Int,
    environment: [String: String],
    read: (String) -> String?
  ) -> Int {
    // Slurm sets these whether or not it also binds the task to processors.
    let job = ["SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"].lazy
      .compactMap { environment[$0].flatMap { Int($0) } }.first { $0 > 0 }
    let limits = [affinity(read), job, quota(read)].compactMap(\.self)
    return max(1, limits.reduce(online, min))
  }

  /// Returns the processor time that the process's cgroups allow, in processors, rounded up.
  ///
  /// Every group above counts too. `nil` means no limit.
  private static func quota(_ read: (String) -> String?) -> Int? {
    var least: Double?
    for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
      // The number of the hierarchy, its controllers (none in version 2), and the group.
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",")
      let isSecondVersion = fields[0] == "0" && controllers.isEmpty
      guard isSecondVersion || controllers.contains("cpu") else { continue }
      let root = "/sys/fs/cgroup" + (isSecondVersion ? "" : "/\(fields[1])")
      for group in groups(String(fields[2])) {
        let quota =
          isSecondVersion
          ? share(read("\(root)\(group)/cpu.max"))
          : share(
            read("\(root)\(group)/cpu.cfs_quota_us"),
            read("\(root)\(group)/cpu.cfs_period_us")
          )
        if let quota { least = min(least ?? quota, quota) }
      }
    }
    return least.map { Int($0.rounded(.up)) }
  }

  /// Returns a group's path and those above it; the root is the empty text.
  private static func groups(_ path: String) -> [String] {
    let names = path.split(separator: "/").filter { $0 != ".." }
    return (0...names.count).map { count in names.prefix(count).map { "/" + $0 }.joined() }
  }

  /// Returns quota over period, given as numbers in one text or two; `nil` without a limit.
  private static func share(_ texts: String?...) -> Double? {
    let words = texts.compactMap(\.self).flatMap { $0.split(whereSeparator: \.isWhitespace) }
    guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]),
      quota > 0, period > 0
    else { return nil }
    return quota / period
  }

  /// Returns the number of processors in the affinity mask of the process; `nil` if it is not known.
  ///
  /// The kernel writes the mask of `sched_getaffinity` as groups of hexadecimal digits.
  private static func affinity(_ read: (String) -> String?) -> Int? {
    let key = "Cpus_allowed:"
    let lines = (read("/proc/self/status") ?? "").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix(key) }) else { return nil }
    let count = line.dropFirst(key.count).compactMap(\.hexDigitValue).reduce(0) {
      $0 + $1.nonzeroBitCount
    }
    return count > 0 ? count : nil
  }
}
