package import Foundation
package import Logging
import Model

/// A value of a log line that is not plain text, in words for people and as JSON.
struct LogValue: CustomStringConvertible, Sendable {
    /// The words in `logfmt` and `journal`; nil: left out.
    var words: String?
    /// A JSON value.
    var json: String

    var description: String { words ?? json }
}

extension Logger.MetadataValue {
    /// A whole number, the same in all formats.
    package static func number(_ number: some BinaryInteger & Sendable) -> Logger.MetadataValue {
        value("\(number)", json: "\(number)")
    }

    /// A number of things; 0 appears in JSON only, where it is a number as any other.
    package static func count(_ number: Int) -> Logger.MetadataValue {
        value(number == 0 ? nil : "\(number)", json: "\(number)")
    }

    /// A duration: seconds to the millisecond in JSON, its two largest units for people (`1m30s`).
    package static func duration(_ duration: Duration) -> Logger.MetadataValue {
        value(duration.compact, json: "\(Double(duration.milliseconds) / 1000)")
    }

    /// A size in bytes: a number of bytes in JSON, MiB rounded down for people (`256MiB`).
    package static func size(_ bytes: Int64) -> Logger.MetadataValue {
        value("\(bytes >> 20)MiB", json: "\(bytes)")
    }

    /// Whole seconds, which may be negative: `-90s` for people, in JSON a number.
    package static func seconds(_ seconds: Int) -> Logger.MetadataValue {
        value("\(seconds)s", json: "\(seconds)")
    }

    /// A time that appears in JSON only, in RFC 3339 with milliseconds (UTC).
    package static func forMachines(_ time: Date) -> Logger.MetadataValue {
        value(nil, json: "\"\(time.timestamp)\"")
    }

    private static func value(_ words: String?, json: String) -> Logger.MetadataValue {
        .stringConvertible(LogValue(words: words, json: json))
    }
}
