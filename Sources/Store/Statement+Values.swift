import Foundation
import Model
package import SQLite

// Here, and not beside Statement, so that the compiler makes a loop of its own for each caller.
extension Statement {
    /// What a function makes of each row, in their order. Resets the statement for the next use, unless the function throws.
    package func map<Value>(_ value: (Statement) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        while try step() { values.append(try value(self)) }
        return values
    }

    /// What a function makes of the first row; nil without one. Resets the statement for the next use.
    package func first<Value>(_ value: (Statement) throws -> Value?) throws -> Value? {
        guard try step() else { return nil }
        defer { reset() }
        return try value(self)
    }

    /// What a function makes of each row, by key; of equal keys the last counts. Resets the statement for the next use,
    /// unless the function throws.
    package func dictionary<Key, Value>(_ entry: (Statement) throws -> (Key, Value)?) throws -> [Key: Value] {
        var values: [Key: Value] = [:]
        while try step() {
            if let (key, value) = try entry(self) { values[key] = value }
        }
        return values
    }

    /// The instant of a column in milliseconds; nil for NULL.
    func date(_ column: Int32) -> Date? { optionalInt64(column).map { Date(milliseconds: $0) } }
}
