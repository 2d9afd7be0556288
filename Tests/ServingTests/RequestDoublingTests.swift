import Testing
import WorkCount

@testable import Serving

/// Requests of twice the size take at most 2.5 times the work, whatever they are made of.
@Suite struct RequestDoublingTests {
    static let pieces = [
        "a", "1", ",", "~", "/", "/..", "%", "%2F", "%F0%9F", "+", "&", "=", "&limit=1", "&bbox=0,0,1,1", ":", "[",
        "\"",
        "W/\"a\",", "\u{0315}\u{0300}",
    ]

    private static let items = "/collections/events/items"
    /// The places in a request that take a text of any length: `*` stands for the text.
    static let targets =
        [
            "/*", "\(items)/*", "/pictures/*", "/earthquakes/feed/v1.0/summary/*", "\(items)?*",
            "/fdsnws/event/1/query?*",
            "/changes?*", "/summary/time?*", "/basemap/places?q=*",
        ]
        + ["after", "cursor", "bbox", "datetime", "q", "category", "source", "near", "as_of", "limit", "f"].map {
            "\(items)?\($0)=*"
        }
    static let fields = [
        "host", "accept", "accept-encoding", "if-none-match", "if-modified-since", "last-event-id", "origin",
    ]

    @Test(arguments: pieces) func aRequestIsAnsweredInLinearWork(_ piece: String) throws {
        let test = try TestAPI()
        try test.poll([quake("chile")])
        func expectLinear(_ name: String, _ request: (String) -> APIRequest) {
            let work = Doubling(of: 4000) { size in
                request(String(repeating: piece, count: size))
            } _: {
                _ = test.api.answer($0, from: test.store, now: start)
            }
            #expect(work.isLinear, "\(name) of \(piece.debugDescription): \(work)")
        }
        for target in Self.targets {
            let parts = target.split(separator: "?").map(String.init)
            expectLinear(target) { text in
                let filled = parts.map { $0.replacing("*", with: text) }
                return APIRequest(path: filled[0], query: filled.count > 1 ? filled[1] : nil)
            }
        }
        for field in Self.fields {
            expectLinear(field) { APIRequest(path: Self.items, headers: [field: $0]) }
        }
    }
}
