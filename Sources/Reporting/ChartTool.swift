import Foundation

/// Draws charts as SVG with `vl-convert-python` from a private virtual environment.
///
/// One process draws all charts of a page. The process reads no external URL, and terminates itself
/// after two minutes.
package struct ChartTool: Sendable {
  private let python: String

  /// Creates a tool for a virtual environment's folder, usually `.tools` at the package's root.
  package init(toolsFolder: String) { python = toolsFolder + "/bin/python" }

  /// Draws charts, or returns the reason why they could not be drawn.
  ///
  /// The method does not throw, because a report is written even without drawings.
  package func draw(_ charts: [Chart]) -> ChartImages {
    if charts.isEmpty { return .drawn([:]) }
    guard FileManager.default.isExecutableFile(atPath: python) else {
      return .missing(because: "the tool that draws them is not installed")
    }
    do {
      let drawings = try inScratchFolder { try run(charts.map(\.spec), in: $0) }
      return .drawn(Dictionary(zip(charts.map(\.id), drawings)) { first, _ in first })
    } catch let failure as ChartFailure {
      return .missing(because: failure.text)
    } catch {
      return .missing(because: "the chart tool could not be run: \(error.localizedDescription)")
    }
  }

  private func run(_ specs: [ChartSpec], in folder: URL) throws -> [String] {
    let input = folder.appendingPathComponent("specs.json")
    let output = folder.appendingPathComponent("drawings.json")
    let log = folder.appendingPathComponent("log.txt")
    try JSONEncoder().encode(specs).write(to: input)
    try Data().write(to: log)
    let status = try runPython(arguments: [input.path, output.path], log: log)
    guard status == 0 else {
      let said = String(decoding: try Data(contentsOf: log), as: UTF8.self)
      let last = said.split(separator: "\n").last.map(String.init) ?? "none"
      throw ChartFailure(
        text: "the chart tool ended with exit code \(status); its last line of output: \(last)"
      )
    }
    let drawings = try JSONDecoder().decode([String].self, from: Data(contentsOf: output))
    guard drawings.count == specs.count else {
      throw ChartFailure(
        text: "the chart tool drew only \(drawings.count) of \(specs.count) charts"
      )
    }
    return drawings
  }

  private func runPython(arguments: [String], log: URL) throws -> Int32 {
    let logHandle = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-I", "-c", Self.program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = logHandle
    try process.run()
    process.waitUntilExit()
    try logHandle.close()
    return process.terminationStatus
  }

  private func inScratchFolder<Answer>(_ work: (URL) throws -> Answer) throws -> Answer {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent("charts-\(UUID().uuidString)")
    try manager.createDirectory(at: folder, withIntermediateDirectories: false)
    let result = Result { try work(folder) }
    try manager.removeItem(at: folder)
    return try result.get()
  }

  /// The Python program that reads charts from one file and writes their drawings to another.
  private static let program = #"""
    import json, signal, sys
    signal.alarm(120)
    import vl_convert
    with open(sys.argv[1], encoding="utf-8") as file:
      specs = json.load(file)
    drawings = [vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]) for spec in specs]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
      json.dump(drawings, file)
    """#
}

/// The reason why charts could not be drawn.
private struct ChartFailure: Error {
  let text: String
}

/// Prepares a drawing for embedding in a page: no scripts, no URLs, the page's own colours.
enum InlineSVG {
  /// Returns a drawing as markup; `nil` if the drawing has elements that the lab never draws.
  static func markup(of svg: String, summary: String) -> HTML? {
    let forbidden = ["<script", "<foreignObject", "<image", "<a ", "javascript:", "href="]
    guard let start = svg.firstRange(of: "<svg "), svg.hasSuffix("</svg>"),
      forbidden.allSatisfy({ !svg.contains($0) })
    else { return nil }
    let attributes = "role=\"img\" aria-label=\"\(HTML.escaped(summary))\" "
    var markup = "<svg " + attributes + svg[start.upperBound...]
    for (address, name) in [("1999/xlink", "xmlns:xlink"), ("2000/svg", "xmlns")] {
      markup.replace(" \(name)=\"http://www.w3.org/\(address)\"", with: "")
    }
    markup.replace("\"\(ChartStyle.ink)\"", with: "\"currentColor\"")
    for color in ContenderPalette.series + [ContenderPalette.floor] {
      markup.replace("\"\(color)\"", with: "\"\(pageColor(color))\"")
    }
    return .own(markup)
  }

  /// Returns the CSS variable that replaces a colour of a drawing.
  static func pageColor(_ color: String) -> String {
    ContenderPalette.series.firstIndex(of: color).map { "var(--s\($0))" } ?? "var(--floor)"
  }

  /// Returns the symbol of a compared implementation, in its shape and colour, for a legend.
  static func mark(_ entry: ContenderPalette.Entry) -> HTML {
    .own(
      "<svg viewBox=\"-6 -6 12 12\" width=\"12\" height=\"12\" aria-hidden=\"true\">"
        + "<path d=\"\(entry.shape.path)\" fill=\"\(pageColor(entry.color))\"/></svg>"
    )
  }
}
