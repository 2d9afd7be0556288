import Foundation
import Logging
import Model
import Operations

extension Logger {
    /// Writes a line with the facts that many lines have; those that are nil are left out.
    func tell(
        _ level: Level, _ words: Message, source: String? = nil, provider: GeocodeProvider? = nil, until: Date? = nil,
        reason: String? = nil, detail: String? = nil, _ more: Metadata = [:]
    ) {
        var facts = more
        let texts = [
            (LogKey.source, source), (LogKey.provider, provider?.rawValue), (LogKey.until, until?.timestamp),
            (LogKey.reason, reason), (LogKey.detail, detail),
        ]
        for case (let key, let text?) in texts { facts[key] = .string(text) }
        log(level: level, words, metadata: facts)
    }
}
