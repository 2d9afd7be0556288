import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Decodes documents like `visiventd decode twitter`.
enum TwitterDecoding {
    static func answer(_ body: Data) throws -> FeedAnswer {
        let feed = try TwitterFeed(SourceSettings(name: "file", kind: "twitter", url: "file:///messages.json"))
        let request = FeedRequest(url: "file:///messages.json")
        let poll = PollContext(now: Date(timeIntervalSince1970: 1_772_366_400))
        return try feed.decode(FeedResponse(request: request, body: body), for: poll)
    }

    static func answer(fixture name: String) throws -> FeedAnswer {
        try answer(Fixtures.data("twitter/" + name))
    }

    /// The failure of decoding; nil without one.
    static func failure(_ text: String) -> Failure? {
        do {
            _ = try answer(Data(text.utf8))
            return nil
        } catch {
            return error as? Failure
        }
    }

    static func details(_ event: Event) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(event.details.utf8))
        return try #require(object as? [String: Any])
    }
}
