import Foundation
import Reporting

/// Writes the index page of all nights.
struct ReportNightsVerb: Verb {
  let options: ReportNightsOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let path = options.folder + "/index.html"
    let page = try NightsPage(options.folder).page
    try PageFile.write(page.html(images: .drawn([:])), to: path)
    terminal.print("Nights: \(path)")
    return .good
  }
}

/// A writer of page files.
enum PageFile {
  /// - Throws: A lab error that names the page if it cannot be written.
  static func write(_ text: String, to path: String) throws(LabError) {
    do {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw .lab("the page \(path.quoted) cannot be written: \(error.localizedDescription)")
    }
  }
}
