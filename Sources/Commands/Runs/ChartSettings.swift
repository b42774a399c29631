import Basics
import Foundation
package import Reporting

/// The setting for the folder in which the chart tool is installed.
package struct ChartSettings: CompositionPart {
  /// The folder in which the chart tool is installed; `nil`, the default, searches for the tool.
  package var toolsFolder: String?

  package init() {}
}

extension Composition {
  /// The program that draws the charts of pages.
  package var chartTool: ChartTool {
    ChartTool(
      toolsFolder: self[ChartSettings.self].toolsFolder
        ?? ChartTool.folder(
          environment: ProcessInfo.processInfo.environment,
          currentFolder: FileManager.default.currentDirectoryPath,
          executable: command
        )
    )
  }
}

extension ChartTool {
  /// The environment variable that names the folder of the chart tool.
  package static let variable = "HISTORY_LAB_TOOLS"

  /// Returns the folder in which the chart tool is installed.
  ///
  /// This is the folder in `HISTORY_LAB_TOOLS`; otherwise the nearest folder `.tools` in the executable's
  /// folder or its parents, such as that of the package; otherwise `.tools` in the current folder.
  package static func folder(
    environment: [String: String],
    currentFolder: String,
    executable: String?
  ) -> String {
    if let named = environment[variable], !named.isEmpty { return named }
    var place = executable.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path } ?? "/"
    while place != "/" {
      place = FilePath.parent(of: place)
      let tools = (place == "/" ? "" : place) + "/.tools"
      if FilePath.state(of: tools) == .folder { return tools }
    }
    return currentFolder + "/.tools"
  }
}
