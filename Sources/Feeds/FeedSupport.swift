import Foundation
import Model
import Reading

extension Failure {
    /// A document that is not what its kind of feed promises; keeps the first 64 KiB of the body.
    static func feed(_ code: String, _ message: String, body: Data? = nil) -> Failure {
        var failure = Failure(.feed, code, message, excerpt: body.map { Data($0.prefix(64 << 10)) })
        failure.isPlaceholder = code == ReadingError.htmlPageCode
        return failure
    }

    /// A document that could not be read at all.
    static func feed(_ error: ReadingError, body: Data) -> Failure {
        feed(error.code, error.message + (error.line.map { " (line \($0))" } ?? ""), body: body)
    }
}

extension Event {
    /// The weight on a heat map: magnitude / 10 within 0…1 for an earthquake (0 without a magnitude), 1 for all else.
    static func weight(_ category: Model.Category, magnitude: Double?) -> Double {
        category == .earthquake ? max(0, min(1, (magnitude ?? 0) / 10)) : 1
    }
}

extension String {
    /// Its first so many Unicode scalars; `prefix` counts characters, of which one may have any number of them.
    func beginning(_ scalars: Int) -> String { String(UnicodeScalarView(unicodeScalars.prefix(scalars))) }
}
