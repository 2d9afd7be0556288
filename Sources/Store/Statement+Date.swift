import Foundation
import Model
import SQLite

extension Statement {
    /// The instant in milliseconds, if there is one.
    func date(_ column: Int32) -> Date? { optionalInt64(column).map { Date(milliseconds: $0) } }
}
