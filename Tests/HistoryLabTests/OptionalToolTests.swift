import Foundation
import TestSupport
import Testing

@Suite struct `What tests need of a machine` {
  @Test(arguments: OptionalTool.allCases)
  func `A hidden tool is not present, and the reason names what enables its tests`(
    _ tool: OptionalTool
  ) {
    for names in ["all", tool.rawValue, "other,\(tool.rawValue)"] {
      #expect(!tool.isPresent(hiding: names))
    }
    #expect(tool.isPresent(hiding: "") == tool.isPresent(hiding: "other"))
    #expect(tool.reason == "needs \(tool.rawValue): \(tool.command)")
    #expect(!tool.command.isEmpty && !tool.rawValue.contains(" "))
  }

  @Test func `Every tool is needed by a test`() throws {
    let tests = URL(fileURLWithPath: Repository.path("Tests"))
    let files = try #require(
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    )
    var text = ""
    for case let file as URL in files where file.pathExtension == "swift" {
      text += try String(contentsOf: file, encoding: .utf8)
    }
    for tool in OptionalTool.allCases {
      #expect(text.contains(".needs(.\(tool.rawValue)"), "\(tool)")
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `On threads of their own tasks may block until all of them have started`() async {
    let all = NSCondition()
    nonisolated(unsafe) var missing = 64
    await onOwnThread {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<missing {
          group.addTask {
            all.withLock {
              missing -= 1
              all.broadcast()
              while missing > 0 { all.wait() }
            }
          }
        }
      }
    }
    #expect(missing == 0)
  }
}
