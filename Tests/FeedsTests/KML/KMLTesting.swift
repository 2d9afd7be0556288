import Foundation
import Model
import TestSupport

@testable import Feeds

/// Decodes documents like a source of kind `kml`.
enum KMLTesting {
    static func decode(_ body: Data, options: [String: OptionValue] = [:]) throws -> FeedAnswer {
        let url = "https://example.org/places.kml"
        let feed = KMLFeed(SourceSettings(name: "places", kind: "kml", url: url + "?key=1", options: options))
        let response = FeedResponse(request: FeedRequest(url: url), body: body)
        return try feed.decode(response, for: PollContext(now: Date(milliseconds: 1_700_000_000_000)))
    }

    /// Decodes with a limit beyond which an item is dropped.
    static func decode(_ body: Data, itemBytes: Int) throws -> FeedAnswer {
        let url = "https://example.org/places.kml"
        let feed = KMLFeed(SourceSettings(name: "places", kind: "kml", url: url))
        return try feed.decode(FeedResponse(request: FeedRequest(url: url), body: body), itemBytes: itemBytes)
    }

    static func fixture(_ name: String, options: [String: OptionValue] = [:]) throws -> FeedAnswer {
        try decode(try Fixtures.data("kml/" + name), options: options)
    }
}
