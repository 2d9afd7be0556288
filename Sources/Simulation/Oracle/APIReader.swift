import Foundation
import Model
import Reading
import Serving
import Store

/// A client of the read API, which knows only the events that it is told of.
struct APIReader {
    /// A change as it is told.
    struct Told {
        var number: Int64
        var kind: String
        var id: String
        /// A hash of title and magnitude; nil: the id comes alone.
        var words: UInt64?
    }

    /// What a stream tells.
    enum Message {
        case change(Told)
        /// All changes up to this one are told.
        case mark(Int64)
        case gap
    }

    /// The parameters of its requests that select events.
    let filter: String
    /// The same as a query.
    let query: EventQuery
    /// Whether it reads a stream; otherwise pages.
    let isStream: Bool
    /// The last change it knows.
    var cursor: Int64 = 0
    /// The public ids of the events it knows.
    var held: Set<String> = []
    /// Its connection; nil: none.
    var client: StreamClient?

    /// Whether it is told of every event.
    var hearsAll: Bool { query.withdrawn == .include && query.minimumMagnitude == nil }

    /// One for each way to read, with a filter and without.
    static let all: [APIReader] = [false, true].flatMap { isStream -> [APIReader] in
        var everything = EventQuery()
        everything.withdrawn = .include
        var strong = EventQuery()
        strong.minimumMagnitude = 4
        return [
            APIReader(filter: "withdrawn=include", query: everything, isStream: isStream),
            APIReader(filter: "min_magnitude=4", query: strong, isStream: isStream),
        ]
    }

    /// Begins with the events as they are.
    mutating func begin(at cursor: Int64, with held: Set<String>) {
        self.cursor = cursor
        self.held = held
        client = nil
    }

    // MARK: - Reading

    /// The whole messages of a stream's bytes; a piece at the end is dropped.
    static func messages(_ bytes: some Collection<UInt8>) throws -> [Message] {
        try String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n\n").dropLast().compactMap {
            text -> Message? in
            var fields: [String: String] = [:]
            for line in text.split(separator: "\n") where !line.hasPrefix(":") {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[String(parts[0])] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
            }
            if fields["event"] == "gap" { return .gap }
            if let data = fields["data"] {
                let change = try JSONParser().withValue(of: Data(data.utf8)) { root throws(ReadingError) -> Told in
                    told(root)
                }
                return .change(change)
            }
            return fields["id"].flatMap { Int64($0) }.map { .mark($0) }
        }
    }

    /// The changes of a page, and the cursor after it.
    static func page(_ body: [UInt8]) throws -> (changes: [Told], next: Int64) {
        try JSONParser().withValue(of: Data(body)) { root throws(ReadingError) -> (changes: [Told], next: Int64) in
            var changes: [Told] = []
            if let list = root["changes"] { for change in list.elements { changes.append(told(change)) } }
            return (changes, root["next"]?.int64 ?? -1)
        }
    }

    private static func told(_ change: JSONValue) -> Told {
        let properties = change["feature"]?["properties"]
        return Told(
            number: change["seq"]?.int64 ?? -1, kind: change["kind"]?.string ?? "", id: change["id"]?.string ?? "",
            words: properties.map { StateMemory.words($0["title"]?.string ?? "", $0["magnitude"]?.double) })
    }
}
