import Foundation
import PersistentHistory

/// The terminal. It is drawn again for each change of a live list, and for nothing else.
actor Screen {
  static let taskCount = 8
  private(set) var tasks: [StoredObject] = []
  private var tags: [StoredObject] = []
  private var taggings: [StoredObject] = []
  private var message = "Type a task with #tags, x 1 to mark, - 1 to delete, tidy, or q."

  func show(tasks: LiveResult) throws {
    self.tasks = Array(tasks)
    try draw()
  }

  func show(tags: LiveResult) throws {
    self.tags = Array(tags)
    try draw()
  }

  func show(taggings: LiveResult) throws {
    self.taggings = Array(taggings)
    try draw()
  }

  func show(message: String) throws {
    self.message = message
    try draw()
  }

  /// Returns the task with a number on the screen.
  func task(_ number: Substring) throws -> StoredObject {
    guard let number = Int(number), tasks.indices.contains(number - 1) else {
      throw Mistake(sentence: "There is no task \(number) on the screen.")
    }
    return tasks[number - 1]
  }

  private func draw() throws {
    var lines = ["To do"]
    for (index, task) in tasks.enumerated() {
      guard let title = try task["title"]?.string else { continue }
      let mark = try task["done"]?.bool == true ? "x" : " "
      let names = try tagNames(of: task).map { " #\($0)" }.joined()
      lines.append("\(index + 1) [\(mark)] \(title)\(names)")
    }
    let used = try tags.compactMap { tag -> String? in
      guard let name = try tag["name"]?.string else { return nil }
      return try "\(name) \(taggings.count { try $0["tag"]?.int == tag.id.key })"
    }
    lines += ["", "Tags: " + (used.isEmpty ? "none" : used.joined(separator: ", ")), message, "> "]
    // Clears the screen, then writes from its top, without a buffer: the prompt does not end a line.
    let text = "\u{1B}[2J\u{1B}[H" + lines.joined(separator: "\r\n")
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  private func tagNames(of task: StoredObject) throws -> [String] {
    try task.objects(linkedBy: "Tagging", sortedBy: ["name"]).compactMap { try $0["name"]?.string }
  }
}
