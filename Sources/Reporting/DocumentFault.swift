import Foundation

/// Explains errors in JSON documents.
package enum DocumentFault {
  /// Returns the reason for a decoding failure, as a clause.
  package static func reason(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return error.localizedDescription }
    switch error {
    case .keyNotFound(let key, let context):
      return "the key \(place(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return context.codingPath.isEmpty
        ? "it is of another form" : "the value at \(place(context.codingPath)) is of another type"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty ? "it is not JSON" : context.debugDescription
    @unknown default: return "it cannot be decoded"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
