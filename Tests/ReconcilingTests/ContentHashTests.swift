import Model
import Reconciling
import Testing

/// Whether an event is the same as its source's last version, and what names it for users.
@Suite struct ContentHashTests {
    @Test func everyFieldCounts() {
        let base = quake("us1", aliases: ["ci1"], updated: 1)
        var variants = [base]
        func vary(_ change: (inout Event) -> Void) {
            var event = base
            change(&event)
            variants.append(event)
        }
        vary { $0.id = "us2" }
        vary { $0.aliases = [] }
        vary { $0.time = .init(milliseconds: start + 1) }
        vary { $0.updated = nil }
        vary { $0.expires = .init(milliseconds: start + 1) }
        vary { $0.category = .other }
        vary { $0.title += " " }
        vary { $0.summary = "" }
        vary { $0.link = "https://example.org" }
        vary { $0.author = Author(name: "A") }
        vary { $0.author = Author(name: "A", link: "https://example.org") }
        vary { $0.weight = 0.6 }
        vary { $0.magnitude = nil }
        vary { $0.magnitude = 0 }
        vary { $0.depth = -10 }
        vary { $0.status = "reviewed" }
        vary { $0.place = "Chile" }
        vary { $0.language = "es" }
        vary { $0.location = nil }
        vary { $0.location?.method = .circle }
        vary { $0.location?.confidence = 0.5 }
        vary { $0.geometry = "{}" }
        vary { $0.details = "{}" }
        #expect(Set(variants.map(ContentHash.of)).count == variants.count)
    }

    @Test func theCountryOfAPlaceIsNoDifference() {
        var event = quake("us1")
        let hash = ContentHash.of(event)
        let old = row(event)
        event.location?.country = "CL"
        event.location?.name = "Chile"
        #expect(ContentHash.of(event) == hash)
        let new = row(event)
        #expect(new.location?.country == "CL" && old.previous(comparedTo: new) == nil)
    }

    @Test func publicIDsAreStableAndApart() {
        #expect(PublicID.of(provider: "usgs", upstreamID: "us1") == PublicID.of(provider: "usgs", upstreamID: "us1"))
        #expect(PublicID.of(provider: "usg", upstreamID: "sus1") != PublicID.of(provider: "usgs", upstreamID: "us1"))
        #expect(
            PublicID.of(provider: "usgs", upstreamID: "us1", attempt: 1)
                != PublicID.of(provider: "usgs", upstreamID: "us1"))
        let ids = Set((0..<50_000).map { PublicID.of(provider: "usgs", upstreamID: "us\($0)") })
        #expect(ids.count == 50_000)
    }
}
