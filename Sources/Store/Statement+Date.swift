import Foundation
import Model
import SQLite

extension Statement {
    /// The instant of a column in milliseconds; nil for NULL.
    func date(_ column: Int32) -> Date? { optionalInt64(column).map { Date(milliseconds: $0) } }
}
