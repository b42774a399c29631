import Foundation
import SwiftSyntax

/// An edit that a rule has made.
struct GeneratedEdit {
  let range: Range<Int>
  let text: String
  /// What the rule does.
  let rule: String
}

/// Finds the places of a source where the rules apply.
///
/// The rules: a comparison strict or lax or reversed, a number one greater, a condition negated, && for
/// || and back, min for max, true for false, a statement left out, a function that returns at once;
/// and in SQL a comparison, a term of a condition, an order, min and max.
final class EditFinder: SyntaxVisitor {
  private let source: Source
  private(set) var edits: [GeneratedEdit] = []

  init(_ source: Source) {
    self.source = source
    super.init(viewMode: .sourceAccurate)
  }

  private func add(_ node: some SyntaxProtocol, _ text: String, _ rule: String) {
    edits.append(GeneratedEdit(range: node.bytes, text: text, rule: rule))
  }

  private static let comparisons = [
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==",
    "&&": "||", "||": "&&",
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let text = node.operator.trimmedDescription
    if let other = Self.comparisons[text] {
      edits.append(
        GeneratedEdit(range: node.operator.bytes, text: other, rule: "\(text) is \(other)")
      )
    }
    return .visitChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    if let value = Int64(node.literal.text), value < 1_000,
      node.parent?.is(InfixOperatorExprSyntax.self) == true
    {
      add(node, "\(value + 1)", "\(value) is \(value + 1)")
    }
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let other = node.literal.text == "true" ? "false" : "true"
    add(node, other, "\(node.literal.text) is \(other)")
    return .skipChildren
  }

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    if let condition = node.condition.as(ExprSyntax.self) {
      if let negated = condition.as(PrefixOperatorExprSyntax.self), negated.operator.text == "!" {
        add(condition, negated.expression.trimmedDescription, "a condition is negated")
      } else {
        let (word, rest) = Self.split(condition)
        add(condition, "\(word)!(\(rest))", "a condition is negated")
      }
    }
    return .visitChildren
  }

  /// `try` stands before a negation, not in it.
  private static func split(_ condition: ExprSyntax) -> (String, String) {
    guard let attempt = condition.as(TryExprSyntax.self) else {
      return ("", condition.trimmedDescription)
    }
    return ("try ", attempt.expression.trimmedDescription)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.calledExpression.trimmedDescription
    if ["precondition", "preconditionFailure", "fatalError", "assert"].contains(name) {
      return .skipChildren
    }
    if name == "min" || name == "max" {
      add(node.calledExpression, name == "min" ? "max" : "min", "\(name) is the other")
    }
    return .visitChildren
  }

  override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    for item in node {
      guard node.count > 1 || item.item.is(InfixOperatorExprSyntax.self) else { continue }
      let expression = item.item.as(TryExprSyntax.self)?.expression ?? item.item.as(ExprSyntax.self)
      let isCall = expression?.is(FunctionCallExprSyntax.self) == true
      let assigns = expression?.as(InfixOperatorExprSyntax.self)?.assigns == true
      if isCall || assigns && initializerCount == 0 { add(item, "", "a statement is left out") }
    }
    return .visitChildren
  }

  /// How many initializers are around the node: what they leave out does not compile.
  private var initializerCount = 0

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    initializerCount += 1
    return .visitChildren
  }

  override func visitPost(_ node: InitializerDeclSyntax) { initializerCount -= 1 }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.signature.returnClause == nil, let items = node.body?.statements,
      let first = items.first, items.count > 1
    {
      add(first, "return;\n\(first.trimmedDescription)", "a function returns at once")
    }
    return .visitChildren
  }

  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let text = source.string(node.bytes)
    guard Self.isSQL(text) else { return .visitChildren }
    for (pattern, replacement, rule) in Self.statements {
      let matches = pattern.matches(in: text, range: NSRange(text.startIndex..., in: text))
      for match in matches {
        guard let range = Range(match.range, in: text) else { continue }
        let low =
          node.bytes.lowerBound + text.utf8.distance(from: text.startIndex, to: range.lowerBound)
        let high = low + text[range].utf8.count
        let new = pattern.replacementString(for: match, in: text, offset: 0, template: replacement)
        edits.append(GeneratedEdit(range: low..<high, text: new, rule: rule))
      }
    }
    return .visitChildren
  }

  private static func isSQL(_ text: String) -> Bool {
    ["SELECT ", "UPDATE ", "DELETE ", "INSERT ", "WHERE ", " AND ", "ORDER BY ", " IN ("]
      .contains { text.contains($0) } && !text.contains("CREATE ")
  }

  private static func rule(
    _ pattern: String,
    _ replacement: String,
    _ name: String
  )
    -> (NSRegularExpression, String, String)
  {
    guard let compiled = try? NSRegularExpression(pattern: pattern) else {
      fatalError("\(pattern) is no regular expression")
    }
    return (compiled, replacement, "SQL: " + name)
  }

  private static let statements = [
    rule(" >= ", " > ", ">= is >"), rule(" > ", " >= ", "> is >="), rule(" <= ", " < ", "<= is <"),
    rule(" < ", " <= ", "< is <="), rule(" = (\\?\\d|\\d)", " <> $1", "= is <>"),
    rule(" DESC\\b", "", "DESC is ASC"),
    rule("ORDER BY ([^\\n\"]*?)(?= LIMIT|\\n|\"|$)(?<! DESC)", "ORDER BY $1 DESC", "ASC is DESC"),
    rule("\\bmin\\(", "max(", "min is max"), rule("\\bmax\\(", "min(", "max is min"),
    rule(
      " AND [^\\n\"()]*?(?= AND | OR | ORDER | LIMIT | RETURNING |\\n|\"|\\))",
      "",
      "a term is left out"
    ),
    rule("WHERE [^\\n\"()]*? AND ", "WHERE ", "a term is left out"),
    rule("LIMIT 1\\b", "LIMIT 2", "LIMIT 1 is 2"),
    rule(" \\+ 1\\b", "", "+ 1 is left out"), rule(" - 1\\b", "", "- 1 is left out"),
  ]
}
