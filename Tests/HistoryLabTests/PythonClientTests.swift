import Foundation
import LabFixtures
import TestSupport
import Testing

/// The client of the wire protocol in Python.
@Suite(.needs(.python3)) struct PythonClientTests {
  private static let folder = Repository.path("Sources/Systems/Systems.docc")

  /// Returns the output of a program that imports the client.
  private func python(_ program: String) async throws -> String {
    let environment = ["PYTHONPATH": Self.folder, "PYTHONDONTWRITEBYTECODE": "1"]
    let arguments = ["python3", "-c", program]
    return try await ProcessAnswer(of: "/usr/bin/env", arguments, environment: environment).said
  }

  /// Returns a system's responses to messages, without their ids.
  private func answers(of system: String, to messages: [String]) async throws -> [String] {
    let program = """
      import io, json, sys, history_lab
      sys.stderr = io.StringIO()
      class Mine(history_lab.System):
      \(system.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
      target = io.StringIO()
      lines = ['{"id":%d,%s}' % pair for pair in enumerate(\(messages))]
      history_lab.serve(Mine(), lines, target)
      for line in target.getvalue().splitlines():
          answer = json.loads(line)
          del answer["id"]
          print(json.dumps(answer, sort_keys=True, separators=(",", ":")))
      """
    return try await python(program).split(separator: "\n").map(String.init)
  }

  @Test func `The Python client runs on Python 3.9 and imports the standard library only`()
    async throws
  {
    let said = try await python(
      """
      import ast, sys
      tree = ast.parse(open('\(Self.folder)/history_lab.py').read(), feature_version=(3, 9))
      nodes = list(ast.walk(tree))
      names = [a.name for node in nodes if isinstance(node, ast.Import) for a in node.names]
      print(sorted(names), any(isinstance(node, ast.ImportFrom) for node in nodes))
      """
    )
    #expect(said == "['inspect', 'json', 'sys', 'traceback'] False\n")
  }

  @Test func `The Python client offers the capabilities that a class has methods for`() async throws
  {
    let said = try await answers(
      of: """
        name, version, capabilities = "mine", "2", ["clock", "nullAuthor"]
        def fetch(self, actor): pass
        def merge(self, actor): pass
        def record(self, actor): pass
        def begin(self, actor): pass
        def purge(self): pass
        """,
      to: [#""do":"hello","version":1"#]
    )
    let capabilities = #"["steps","purge","clock","nullAuthor"]"#
    #expect(said == [#"{"ok":{"capabilities":\#(capabilities),"system":"mine","version":"2"}}"#])
  }

  @Test func `A Python method gets the keys that it names, and returns the result`() async throws {
    let said = try await answers(
      of: """
        def reset(self, plan): self.seen = []
        def launch(self, actor): return 0
        def write(self, now, author, actor, context, policy="none"):
            self.seen.append([actor, author, context, policy])
            return history_lab.transaction(7, now, [], author) if author else None
        def purge(self): return [1, "b"]
        def data(self): return {"seen": self.seen}
        def fetch(self): return []
        def merge(self): return [3]
        def record(self): return 4
        """,
      to: [
        #""do":"reset","actors":[{"id":"app","author":"a"}]"#, #""do":"launch","actor":"app""#,
        #""do":"write","actor":"app","now":5"#,
        #""do":"write","actor":"app","author":null,"context":"background","policy":"error","now":6"#,
        #""do":"purge","actor":"app""#, #""do":"pass","actor":"app""#, #""do":"data""#,
        #""do":"clock","advance":5"#,
      ]
    )
    let seen = #"[["app","a","view","none"],["app",null,"background","error"]]"#
    #expect(
      said == [
        #"{"ok":{}}"#, #"{"ok":{"cursor":null}}"#,
        #"{"ok":{"author":"a","changes":[],"timestamp":5,"transaction":"7"}}"#,
        #"{"ok":{"transaction":null}}"#, #"{"ok":{"purged":["1","b"]}}"#,
        #"{"ok":{"cursor":"4","purged":[],"transactions":["3"]}}"#,
        #"{"ok":{"objects":{"seen":\#(seen)}}}"#, #"{"ok":{}}"#,
      ]
    )
  }

  @Test func `Python exceptions become errors with a suggestion`() async throws {
    let said = try await answers(
      of: """
        def launch(self, actor): raise history_lab.Failure("busy", "later", history_lab.Answer(purged=[1]))
        def stop(self, actor): raise KeyError("x")
        def purge(self): return 3
        def retire(self, actor): return 3
        def view(self, colour): pass
        """,
      to: [
        #""do":"launch","actor":"app""#, #""do":"stop","actor":"app""#, #""do":"purge""#,
        #""do":"retire","actor":"app""#, #""do":"view","actor":"app""#, #""do":"serve""#,
      ]
    )
    func error(_ code: String, _ message: String) -> String {
      #"{"error":{"code":"\#(code)","message":"\#(message)"}}"#
    }
    #expect(
      said == [
        #"{"error":{"code":"busy","done":{"purged":["1"]},"message":"later"}}"#,
        error("failed", "KeyError: 'x'"),
        error("failed", "TypeError: purged is 3: return a list of the names of transactions."),
        error("failed", "TypeError: retire returned 3: return None or an Answer."),
        error("failed", "TypeError: view asks for 'colour', which the message does not have."),
        error("unsupported", "The command 'serve' is unknown or has no method."),
      ]
    )
  }

  @Test func `The Python client reports the net changes of a write`() async throws {
    let said = try await python(
      """
      import history_lab
      def change(op, item, **values): return {"op": op, "object": item, "values": values}
      before = {"a": {"x": 1, "y": 1}, "b": {"x": 2}, "c": {"x": 3}}
      after, net = history_lab.apply(before, [
          change("insert", "a", x=9), change("update", "z", x=9), change("delete", "z"),
          change("insert", "n", x=1), change("update", "n", y=2),
          change("delete", "a"), change("insert", "a", x=5),
          change("insert", "m"), change("delete", "m"),
          change("update", "b", x=4), change("delete", "b"),
      ])
      print(after)
      for change in net: print(change)
      print(before)
      """
    )
    #expect(
      said == """
        {'c': {'x': 3}, 'n': {'x': 1, 'y': 2}, 'a': {'x': 5}}
        {'op': 'update', 'object': 'a', 'columns': ['x', 'y'], 'values': {'x': 5, 'y': None}}
        {'op': 'delete', 'object': 'b'}
        {'op': 'insert', 'object': 'n', 'values': {'x': 1, 'y': 2}}
        {'a': {'x': 1, 'y': 1}, 'b': {'x': 2}, 'c': {'x': 3}}

        """
    )
  }

  @Test func `The printed text of a Python system does not reach the lab`() async throws {
    let said = try await answers(
      of: """
        def data(self):
            print("at work")
            return {}
        """,
      to: [#""do":"data""#, #""do":"bye""#]
    )
    #expect(said == [#"{"ok":{"objects":{}}}"#, #"{"ok":{}}"#])
  }
}
