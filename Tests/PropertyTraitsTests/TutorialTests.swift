import PropertyTesting
import Testing

@testable import PropertyTraits

/// The examples of the tutorial, with their actual output.
@Suite(.property(seed: 2)) struct TutorialTests {
  /// Returns the text of the last issue that a body records.
  private func issue(_ body: @escaping @Sendable () async throws -> Void) async throws -> String {
    let issues = try await recordedIssues(body)
    return issues.last?.comments.map(\.rawValue).joined() ?? ""
  }

  /// A sort that loses equal elements.
  private func mySort(_ numbers: [Int]) -> [Int] { Set(numbers).sorted() }

  @Test func `Sorting keeps every element`() async throws {
    let text = try await issue {
      try await property(Generator<Int>.ints().array()) { numbers in
        #expect(Set(mySort(numbers)) == Set(numbers))
        #expect(mySort(numbers).count == numbers.count)
      }
    }
    let lines = text.split(separator: "\n")
    #expect(lines.first == "The property fails. The simplest failing case found:")
    #expect(lines.dropFirst().first == "[0, 0]")
    #expect(lines.contains { $0.hasPrefix("Expectation failed: ") })
    #expect(
      lines.last
        == "Replay: PROPERTY_REPLAY='1:1,0,1,2x0' swift test --filter 'Sorting keeps every element'"
    )
  }

  /// A stack whose undo restores one item, whatever the last operation was.
  private struct UndoStack {
    private var items: [Int] = []
    private var past: [[Int]] = []
    var top: Int? { items.last }

    mutating func push(_ item: Int) {
      past.append(items)
      items.append(item)
    }

    mutating func pop() {
      if past.count < 2 { past.append(items) }
      items.removeLast()
    }

    mutating func undo() { items = past.popLast() ?? items }
  }

  private struct Stack: CommandMachine {
    enum Command {
      case push(Int)
      case pop, undo
    }
    struct WrongTop: Error {}

    static let rules: [CommandRule<Stack>] = [
      CommandRule("push") { _, source in .push(source.int(in: 0...9, label: "item")) },
      CommandRule("pop", when: { !$0.model.isEmpty }, draw: { _, _ in .pop }),
      CommandRule("undo", weight: 2) { _, _ in .undo },
    ]

    var real = UndoStack()
    var model: [Int] = []
    var past: [[Int]] = []

    mutating func perform(_ command: Command) throws {
      switch command {
      case .push(let item):
        past.append(model)
        model.append(item)
        real.push(item)
      case .pop:
        past.append(model)
        model.removeLast()
        real.pop()
      case .undo:
        model = past.popLast() ?? model
        real.undo()
      }
      if real.top != model.last { throw WrongTop() }
    }
  }

  @Test func `The stack behaves like its model`() async throws {
    let text = try await issue {
      try await property { source in
        var stack = Stack()
        try source.perform(on: &stack)
      }
    }
    #expect(text.contains("1. push(0)\n2. push(1)\n3. pop\n4. undo\nthen: WrongTop()"), "\(text)")
  }
}
