import Foundation
import Reporting

extension ChartTool {
  /// The environment variable that names the tool's folder.
  static let variable = "HISTORY_LAB_TOOLS"

  /// Returns the chart tool for this process.
  static func find(for executable: String?) -> ChartTool {
    ChartTool(
      toolsFolder: folder(
        environment: ProcessInfo.processInfo.environment,
        currentFolder: FileManager.default.currentDirectoryPath,
        executable: executable
      )
    )
  }

  /// Returns the folder of the tool's private environment.
  ///
  /// It is the folder that `HISTORY_LAB_TOOLS` names, else the nearest `.tools` in or above the
  /// folder of the executable, as in the package that built it, else `.tools` in the current
  /// folder.
  static func folder(
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
