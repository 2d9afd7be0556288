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
        vary { $0.provider = "usg" }
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
        vary { $0.author = Author(name: "A", picture: "https://example.org") }
        vary { $0.weight = 0.6 }
        vary { $0.magnitude = nil }
        vary { $0.magnitude = 0 }
        vary { $0.depth = -10 }
        vary { $0.status = "reviewed" }
        vary { $0.place = "Chile" }
        vary { $0.language = "es" }
        vary { $0.location = nil }
        vary { $0.location = Coordinate(latitude: -21, longitude: -70).map { Location($0) } }
        vary { $0.location = Coordinate(latitude: -20, longitude: -71).map { Location($0) } }
        vary { $0.location?.method = .circle }
        vary { $0.location?.precision = .city }
        vary { $0.location?.confidence = 0.5 }
        vary { $0.location?.matchedText = "Chile" }
        vary { $0.geometry = "{}" }
        vary { $0.details = "{}" }
        #expect(Set(variants.map(ContentHash.of)).count == variants.count)
    }

    /// Links keep the hash of their last version, so another one has each event read again.
    @Test func theHashOfAnEventStays() {
        var event = Event(
            provider: "gvp", id: "264020", aliases: ["a", "b"], time: .init(milliseconds: start),
            updated: .init(milliseconds: start + 1), expires: .init(milliseconds: start + 2), category: .volcano,
            title: "Ash", summary: "Line 1\nLine 2", link: "https://l.example", author: fullRow().author, weight: 0.5,
            magnitude: 5.1, depth: -2.25, status: "actual", place: "Bali", language: "id", location: fullPlace(),
            geometry: fullRow().geometry, details: fullRow().details)
        #expect(ContentHash.of(event) == -1_439_813_922_471_103_429)
        event.location = nil
        #expect(ContentHash.of(event) == -236_982_422_671_521_823)
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
        #expect(PublicID.of(provider: "usgs", upstreamID: "us1") == "jkhcfr52f6pbzmgf")
        #expect(PublicID.of(provider: "usg", upstreamID: "sus1") != PublicID.of(provider: "usgs", upstreamID: "us1"))
        #expect(
            PublicID.of(provider: "usgs", upstreamID: "us1", attempt: 1)
                != PublicID.of(provider: "usgs", upstreamID: "us1"))
        let ids = Set((0..<50_000).map { PublicID.of(provider: "usgs", upstreamID: "us\($0)") })
        #expect(ids.count == 50_000)
    }
}
