import Testing

@testable import Measuring

@Suite struct `Processors that a process may use` {
  private func count(
    _ files: [String: String] = [:],
    environment: [String: String] = [:]
  ) -> Int {
    ProcessorCount.least(online: 64, environment: environment, read: { files[$0] })
  }

  @Test func `Without a limit all processors count`() {
    #expect(count() == 64)
    #expect(count(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"]) == 64)
  }

  @Test(arguments: [("Name:\tlab\nCpus_allowed:\tff,0000000f\n", 12), ("Cpus_allowed:\t1\n", 1)])
  func `The affinity mask is a limit`(status: String, expected: Int) {
    #expect(count(["/proc/self/status": status]) == expected)
  }

  @Test func `The processor time of the group and of those above is a limit, rounded up`() {
    let files = [
      "/proc/self/cgroup": "0::/slurm/job_1/task_0\n",
      "/sys/fs/cgroup/slurm/cpu.max": "350000 100000\n",
      "/sys/fs/cgroup/slurm/job_1/cpu.max": "800000 100000\n",
      "/sys/fs/cgroup/slurm/job_1/task_0/cpu.max": "max 100000\n",
    ]
    #expect(count(files) == 4)
  }

  @Test func `Groups of version 1 are read too`() {
    let files = [
      "/proc/self/cgroup": "5:memory:/docker/a\n3:cpu,cpuacct:/docker/a\n0::/\n",
      "/sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_quota_us": "-1\n",
      "/sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_period_us": "100000\n",
      // Within a container the group itself is the root.
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
      "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    ]
    #expect(count(files) == 2)
  }

  @Test func `The allocation of Slurm limits the processor count`() {
    #expect(count(environment: ["SLURM_CPUS_PER_TASK": "3", "SLURM_CPUS_ON_NODE": "8"]) == 3)
    #expect(count(environment: ["SLURM_CPUS_ON_NODE": "8"]) == 8)
    #expect(count(environment: ["SLURM_CPUS_PER_TASK": "0", "SLURM_CPUS_ON_NODE": "x"]) == 64)
  }

  @Test func `At least one processor counts`() {
    #expect(ProcessorCount.least(online: 0, environment: [:], read: { _ in nil }) == 1)
    #expect(ProcessorCount.available >= 1)
  }
}
