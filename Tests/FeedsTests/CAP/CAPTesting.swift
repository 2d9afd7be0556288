import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Decodes documents like a source of kind `cap`.
enum CAPTesting {
    static func feed(_ options: [String: OptionValue] = [:]) throws -> CAPFeed {
        try CAPFeed(SourceSettings(name: "alerts", kind: "cap", url: "https://example.org/index.xml", options: options))
    }

    static func decode(
        _ body: Data, options: [String: OptionValue] = [:], request: FeedRequest? = nil, state: FeedState = FeedState()
    ) throws -> FeedAnswer {
        let request = request ?? FeedRequest(url: "https://example.org/index.xml", role: "feed")
        let context = PollContext(now: Date(milliseconds: 1_700_000_000_000), state: state)
        return try feed(options).decode(FeedResponse(request: request, body: body), for: context)
    }

    static func fixture(_ name: String, options: [String: OptionValue] = [:]) throws -> FeedAnswer {
        try decode(try Fixtures.data("cap/" + name), options: options)
    }

    /// The details of an event as a dictionary.
    static func details(_ event: Event) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(event.details.utf8))
        return try #require(object as? [String: Any])
    }
}
