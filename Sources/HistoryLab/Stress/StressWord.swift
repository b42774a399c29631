/// A message between a stress run and its processes, one per line.
enum StressWord: String, Sendable {
  /// To a process: write until paused.
  case write
  /// To a process: stop writing until the next `write`.
  case pause
  /// To a process: write one transaction that all others must merge.
  case once
  /// To a process: merge all new transactions.
  case settle
  /// To a process: write the content of the view to the trace.
  case view
  /// To a process: retire the member, and exit.
  case retire
  /// To a process: die at a place; the place and the visit follow the word.
  case die
  /// To a process: exit.
  case end
  /// From a process: it follows the store.
  case ready
  /// From a process: the last order is done.
  case done
}
