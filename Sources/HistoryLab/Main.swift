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
    // So does a run of generated mutants.
    if let code = GeneratedTrial.run(arguments) { exit(code) }
    Interruption.install()
    let composition = Composition.current
    let command = composition.command.map(ShellCommand.current) ?? .plain
    let lab = Lab(composition: composition, terminal: .standard(typing: command))
    let code = await lab.run(bytes: words())
    exit(code.rawValue)
  }

  /// The words of the command line as the system keeps them; `CommandLine.arguments` replaces what is not
  /// UTF-8.
  private static func words() -> [[UInt8]] {
    (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        UnsafeRawBufferPointer(start: word, count: strlen(word)).map(\.self)
      }
    }
  }
}
