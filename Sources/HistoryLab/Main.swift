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
    Interruption.install()
    let lab = Lab(composition: .current, terminal: .standard())
    let code = await lab.run(Array(CommandLine.arguments.dropFirst()))
    exit(code.rawValue)
  }
}
