import Foundation
import Model
import Reading

extension Failure {
    /// The failure of a document that does not fit its kind of feed. It keeps the first 64 KiB of the body.
    static func feed(_ code: String, _ message: String, body: Data? = nil) -> Failure {
        var failure = Failure(.feed, code, message, excerpt: body.map { Data($0.prefix(64 << 10)) })
        failure.isPlaceholder = code == ReadingError.htmlPageCode
        return failure
    }

    /// The failure of a document that could not be read at all.
    static func feed(_ error: ReadingError, body: Data) -> Failure {
        feed(error.code, error.message + (error.line.map { " (line \($0))" } ?? ""), body: body)
    }
}

extension Event {
    /// The weight on a heat map: an earthquake's magnitude / 10, limited to 0…1 (0 without a magnitude); 1 for all
    /// else.
    static func weight(_ category: Model.Category, magnitude: Double?) -> Double {
        category == .earthquake ? max(0, min(1, (magnitude ?? 0) / 10)) : 1
    }
}

extension String {
    /// The first `scalars` Unicode scalars. `prefix` counts characters, and one character may hold any number of
    /// scalars.
    func beginning(_ scalars: Int) -> String { String(UnicodeScalarView(unicodeScalars.prefix(scalars))) }
}
