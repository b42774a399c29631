import HistoryLabCommand

/// The entry point of the command `history-lab`.
@main
enum Main {
  static func main() async { await LabCommand().main() }
}
