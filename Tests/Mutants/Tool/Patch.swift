import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// A whole expression or statement of a source, and its replacement by one mutant.
struct Patch {
  let number: Int
  let range: Range<Int>
  let isStatement: Bool
  let text: String
}

/// A source file as text and syntax tree, with the patches for its copy.
final class Source {
  let path: String
  let text: String
  let bytes: [UInt8]
  let syntax: Syntax
  var patches: [Patch] = []

  init(_ path: String, root: String) throws {
    self.path = path
    text = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    bytes = Array(text.utf8)
    let parsed = Parser.parse(source: text)
    syntax = OperatorTable.standardOperators.foldAll(parsed) { _ in }
  }

  func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The whole lines around some bytes, without their indentation.
  func lines(of range: Range<Int>) -> String {
    let start = bytes[..<range.lowerBound].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    let end = bytes[range.upperBound...].firstIndex(of: 0x0a) ?? bytes.count
    return string(start..<end).trimmingCharacters(in: .whitespaces)
  }

  /// The line of a byte, from 1 on.
  func line(of offset: Int) -> Int { 1 + bytes[..<offset].count { $0 == 0x0a } }

  /// Lets a mutant replace some bytes, by patching the smallest expression or statement around
  /// them.
  func add(_ number: Int, replacing range: Range<Int>, with text: String) throws {
    guard let (node, isStatement) = enclosing(range) else {
      throw Refusal(
        "\(path):\(line(of: range.lowerBound)): there is no expression or statement to replace: a declaration stays, its value can change."
      )
    }
    let whole =
      string(node.lowerBound..<range.lowerBound) + text + string(range.upperBound..<node.upperBound)
    patches.append(Patch(number: number, range: node, isStatement: isStatement, text: whole))
  }

  /// The smallest replaceable node around some bytes.
  private func enclosing(_ range: Range<Int>) -> (Range<Int>, isStatement: Bool)? {
    var start = range.lowerBound
    while start < range.upperBound, bytes[start] == 0x20 || bytes[start] == 0x0a { start += 1 }
    guard let token = syntax.token(at: AbsolutePosition(utf8Offset: start)) else { return nil }
    var node = Syntax(token)
    while true {
      let covers =
        node.bytes.lowerBound <= range.lowerBound && node.bytes.upperBound >= range.upperBound
      if covers, let items = node.as(CodeBlockItemListSyntax.self) {
        let some = Array(items).filter { $0.bytes.overlaps(range) }
        if let first = some.first, let last = some.last {
          if some.contains(where: { $0.item.is(DeclSyntax.self) }) { return nil }
          return (first.bytes.lowerBound..<last.bytes.upperBound, true)
        }
      }
      if covers {
        if let item = node.as(CodeBlockItemSyntax.self),
          item.item.is(ExprSyntax.self) || item.item.is(StmtSyntax.self)
        {
          return (node.bytes, true)
        }
        if let expression = node.as(ExprSyntax.self), expression.isReplaceable {
          return (node.bytes, false)
        }
      }
      guard let parent = node.parent else { return nil }
      node = parent
    }
  }
}

extension SyntaxProtocol {
  /// Its range, without surrounding trivia.
  var bytes: Range<Int> {
    positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
  }
}

extension ExprSyntax {
  /// Whether a conditional expression can replace this one.
  var isReplaceable: Bool {
    if self.is(TypeExprSyntax.self) || self.is(PatternExprSyntax.self)
      || self.is(InOutExprSyntax.self)
      || self.is(DiscardAssignmentExprSyntax.self) || self.is(SuperExprSyntax.self)
      || self.is(BinaryOperatorExprSyntax.self) || self.is(AssignmentExprSyntax.self)
      || self.is(TryExprSyntax.self) || self.is(AwaitExprSyntax.self)
      || self.is(MissingExprSyntax.self)
      || self.is(IfExprSyntax.self) || self.is(SwitchExprSyntax.self)
    {
      return false
    }
    if let infix = self.as(InfixOperatorExprSyntax.self), infix.assigns { return false }
    guard let parent else { return false }
    // A whole statement is replaced as one.
    if parent.is(CodeBlockItemSyntax.self) { return false }
    if let call = parent.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.id != id && call.trailingClosure?.id.hashValue != id.hashValue
    }
    if let access = parent.as(MemberAccessExprSyntax.self) { return access.base?.id != id }
    if let call = parent.as(SubscriptCallExprSyntax.self) { return call.calledExpression.id != id }
    if let infix = parent.as(InfixOperatorExprSyntax.self), infix.assigns {
      return infix.leftOperand.id != id
    }
    return !parent.is(InOutExprSyntax.self) && !parent.is(OptionalChainingExprSyntax.self)
      && !parent.is(ForceUnwrapExprSyntax.self) && !parent.is(ExpressionPatternSyntax.self)
      && !parent.is(EnumCaseElementSyntax.self)
      && parent.parent?.is(EnumCaseElementSyntax.self) != true
      && !parent.is(KeyPathComponentSyntax.self) && !parent.is(GenericSpecializationExprSyntax.self)
      && !parent.is(MultipleTrailingClosureElementSyntax.self) && !parent.is(ConsumeExprSyntax.self)
  }
}

extension InfixOperatorExprSyntax {
  /// Whether it changes its left side.
  var assigns: Bool {
    if self.operator.is(AssignmentExprSyntax.self) { return true }
    let text = self.operator.trimmedDescription
    return text.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(text)
  }
}

extension Source {
  /// The source with every patch behind the switch.
  func mutated() throws -> String {
    guard !patches.isEmpty else { return text }
    let sorted = patches.sorted {
      ($0.range.lowerBound, -$0.range.upperBound, $0.number) < (
        $1.range.lowerBound, -$1.range.upperBound, $1.number
      )
    }
    var rest = sorted[...]
    // On the first line, so that lines keep their numbers up to the first patch.
    return "import CMutants; " + (try render(0..<bytes.count, &rest))
  }

  private func render(_ range: Range<Int>, _ rest: inout ArraySlice<Patch>) throws -> String {
    var text = ""
    var done = range.lowerBound
    while let next = rest.first, next.range.lowerBound < range.upperBound {
      guard next.range.upperBound <= range.upperBound else {
        throw Refusal(
          "\(path):\(line(of: next.range.lowerBound)): two mutants replace parts of each other."
        )
      }
      let same = rest.prefix { $0.range == next.range }
      rest = rest.dropFirst(same.count)
      text += string(done..<next.range.lowerBound)
      let old = try render(next.range, &rest)
      text += Self.choice(Array(same), old)
      done = next.range.upperBound
    }
    return text + string(done..<range.upperBound)
  }

  private static func choice(_ some: [Patch], _ old: String) -> String {
    some.contains(where: \.isStatement)
      ? some.map { "if mutated(\($0.number)) {\n\($0.text)\n} else " }.joined() + "{\n\(old)\n}"
      : "(" + some.map { "mutated(\($0.number)) ? (\($0.text)) : " }.joined() + "(\(old)))"
  }
}
