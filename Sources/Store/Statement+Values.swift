import Foundation
import Model
import SQLite

// Here, and not beside Statement, so that the compiler makes a loop of its own for each caller.
extension Statement {
    /// What a function makes of each row, in their order. Resets the statement for the next use, unless the function throws.
    func map<Value>(_ value: (Statement) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        while try step() { values.append(try value(self)) }
        return values
    }

    /// The instant of a column in milliseconds; nil for NULL.
    func date(_ column: Int32) -> Date? { optionalInt64(column).map { Date(milliseconds: $0) } }
}
