import Commands
import HistoryBenchmarks
import Stressing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The entry point of the command's process.
package enum LabMain {
  /// Runs the command line of this process, and ends the process with the exit code.
  package static func run() async -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Benchmarks launch this command again as a helper process, such as one that writes to the store
    // that the benchmark watches.
    if let code = HelperProcess.run(arguments) { exit(code) }
    // A stress run launches this command again for each participant.
    if let code = await StressParticipant.run(arguments) { exit(code) }
    // A run of mutants launches this command again for each trial.
    if let code = GeneratedTrial.run(arguments) ?? DescribedTrial.run(arguments) { exit(code) }
    Interruption.install()
    let composition = Composition.current
    let command = composition.command.map(ShellCommand.current) ?? .plain
    let lab = Lab(tool: .historyLab, composition: composition, terminal: .standard(typing: command))
    let code = await lab.run(bytes: words())
    exit(code.rawValue)
  }

  /// Returns the arguments of the command line as raw bytes.
  ///
  /// `CommandLine.arguments` cannot be used, because it replaces invalid UTF-8.
  private static func words() -> [[UInt8]] {
    (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        UnsafeRawBufferPointer(start: word, count: strlen(word)).map(\.self)
      }
    }
  }
}
