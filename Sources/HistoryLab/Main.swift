import HistoryBenchmarks

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command's entry.
@main
enum Main {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    // A benchmark starts the command again as a process of its own, such as one that writes to the
    // store it watches.
    if let code = HelperProcess.run(arguments) { exit(code) }
    // A stress run does so too.
    if let code = await StressParticipant.run(arguments) { exit(code) }
    Interruption.install()
    let lab = Lab(composition: .current, terminal: .standard())
    let code = await lab.run(arguments)
    exit(code.rawValue)
  }
}
