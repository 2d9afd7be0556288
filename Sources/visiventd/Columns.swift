import CWidth
import Foundation

extension Sequence where Element == Unicode.Scalar {
    /// Columns on a terminal (wcwidth(3)): two for wide characters such as Chinese and Japanese, none for combining
    /// ones, one for characters that the C library does not know.
    var columns: Int { reduce(0) { $0 + Columns.of($1) } }
}

private enum Columns {
    /// Without this locale the C library knows ASCII only.
    private static let knowsUnicode = setlocale(LC_CTYPE, "C.UTF-8") != nil

    static func of(_ scalar: Unicode.Scalar) -> Int {
        guard !scalar.isASCII, knowsUnicode else { return 1 }
        let columns = columnsOfScalar(scalar.value)
        return columns < 0 ? 1 : Int(columns)
    }
}
