/// What a stress run and its processes say to each other, a line each.
enum StressWord: String, Sendable {
  /// To a process: write until you are told to stop.
  case write
  /// To a process: write no more until you are told to.
  case pause
  /// To a process: write one transaction that everybody else must merge.
  case once
  /// To a process: merge what there is.
  case settle
  /// To a process: tell your trace what your view holds.
  case view
  /// To a process: end your membership, and end.
  case retire
  /// To a process: die at a place; the place and the visit come behind it.
  case die
  /// To a process: end.
  case end
  /// From a process: it follows the store.
  case ready
  /// From a process: what it was told is done.
  case done
}
