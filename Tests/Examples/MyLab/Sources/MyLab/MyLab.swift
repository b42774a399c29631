import HistoryLabCommand

/// A `history-lab` with a system, a checker and a condition of its own.
@main
enum MyLab {
  static func main() async {
    await LabCommand(
      systems: [.design("my-log", "A log that purges what the fastest has read.", MyLog.self)],
      checkers: [PurgesAreRare.self],
      conditions: [PurgeAfterEachPass()]
    ).main()
  }
}
