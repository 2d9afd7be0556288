package import Foundation
package import Logging
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
    package static func number(_ number: some BinaryInteger & Sendable) -> Logger.MetadataValue {
        value("\(number)", json: "\(number)")
    }

    /// A number of things, of which people are told only where there are any.
    package static func count(_ number: Int) -> Logger.MetadataValue {
        value(number == 0 ? nil : "\(number)", json: "\(number)")
    }

    /// A duration: seconds in JSON, its two largest units for people.
    package static func duration(_ duration: Duration) -> Logger.MetadataValue {
        value(duration.compact, json: "\(Double(duration.milliseconds) / 1000)")
    }

    /// A size: bytes in JSON, MiB for people.
    package static func size(_ bytes: Int64) -> Logger.MetadataValue {
        value("\(bytes >> 20)MiB", json: "\(bytes)")
    }

    /// Whole seconds that may be negative.
    package static func seconds(_ seconds: Int) -> Logger.MetadataValue {
        value("\(seconds)s", json: "\(seconds)")
    }

    /// A time that only JSON has.
    package static func forMachines(_ time: Date) -> Logger.MetadataValue {
        value(nil, json: "\"\(time.timestamp)\"")
    }

    private static func value(_ words: String?, json: String) -> Logger.MetadataValue {
        .stringConvertible(LogValue(words: words, json: json))
    }
}
