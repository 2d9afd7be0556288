import Foundation

/// JSON in columns of this target.
enum StoredJSON {
    /// The value as JSON text with sorted keys; nil for nil.
    static func encoded<Value: Encodable>(_ value: Value?) throws -> String? {
        guard let value else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The value of a stored JSON text; nil for nil and for a text that cannot be read any more.
    static func decoded<Value: Decodable>(_ type: Value.Type, from text: String?) -> Value? {
        guard let text else { return nil }
        return try? JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
