import Foundation
import Logging
import Model

/// A fact of a log line that is no plain text: as people read it, and as JSON has it.
struct LogValue: CustomStringConvertible, Sendable {
    /// For the formats for people; nil: they leave it out.
    var words: String?
    /// A JSON value.
    var json: String

    var description: String { words ?? json }
}

extension Logger.MetadataValue {
    /// A number.
    static func number(_ number: some BinaryInteger & Sendable) -> Self { value("\(number)", json: "\(number)") }

    /// A number of things, of which people are told only where there are any.
    static func count(_ number: Int) -> Self { value(number == 0 ? nil : "\(number)", json: "\(number)") }

    /// A duration: seconds in JSON, its two largest units for people.
    static func duration(_ duration: Duration) -> Self {
        value(duration.compact, json: "\(Double(duration.milliseconds) / 1000)")
    }

    /// A size: bytes in JSON, MiB for people.
    static func size(_ bytes: Int64) -> Self { value("\(bytes >> 20)MiB", json: "\(bytes)") }

    /// Whole seconds that may be negative.
    static func seconds(_ seconds: Int) -> Self { value("\(seconds)s", json: "\(seconds)") }

    /// A time that only JSON has.
    static func forMachines(_ time: Date) -> Self { value(nil, json: "\"\(time.timestamp)\"") }

    private static func value(_ words: String?, json: String) -> Self {
        .stringConvertible(LogValue(words: words, json: json))
    }
}
