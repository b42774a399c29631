/// What a stress run and its processes say to each other, a line each.
enum StressWord: String, Sendable {
  /// To a process: write until you are told to stop.
  case write
  /// To a process: write no more.
  case stop
  /// To a process: merge what there is, and report.
  case settle
  /// To a process: end.
  case end
  /// From a process: it follows the store.
  case ready
  /// From a process: it has written its last.
  case stopped
}
