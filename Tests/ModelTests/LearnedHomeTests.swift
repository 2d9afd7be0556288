import Foundation
import Model
import Testing

@Suite struct LearnedHomeTests {
    /// The votes of an event that names one region, and its country.
    private static func votes(_ region: String) -> [String: Double] {
        [String(region.prefix { $0 != "." }): 2, region: 2]
    }

    private static func home(_ regions: [String]) -> LearnedHome {
        var home = LearnedHome()
        for region in regions { home.count(votes(region)) }
        return home
    }

    @Test("two events make a home, one does not; a second region must stay far behind")
    func region() {
        #expect(Self.home([]).context == PlaceContext())
        #expect(Self.home(["US.LA"]).context == PlaceContext())
        #expect(Self.home(["US.LA", "US.LA"]).context == PlaceContext(country: "US", region: "LA"))
        #expect(Self.home(["US.LA", "US.LA", "US.TX"]).context == PlaceContext(country: "US", region: "LA"))
        #expect(Self.home(["US.LA", "US.LA", "US.TX", "US.TX"]).context == PlaceContext(country: "US"))
    }

    @Test("a national paper is at home in its country, a world paper nowhere")
    func wider() {
        let national = (0..<40).map { "GB.\(["ENG", "SCT", "WLS", "NIR"][$0 % 4])" }
        #expect(Self.home(national).context == PlaceContext(country: "GB"))
        let world = (0..<40).map { "\(["FR", "US", "GB", "IQ", "RU", "CN"][$0 % 6]).01" }
        #expect(Self.home(world).context == PlaceContext())
    }

    @Test("names that several regions share vote for each, and the home is among all of them")
    func sharedNames() {
        var home = LearnedHome()
        home.count(["US": 2, "US.AL": 1, "US.GA": 1, "US.TX": 1])
        home.count(["US": 2, "US.IL": 1, "US.GA": 1, "US.MO": 1])
        #expect(home.context == PlaceContext(country: "US"))
        home.count(["US": 2, "US.GA": 2])
        #expect(home.context == PlaceContext(country: "US", region: "GA"))
        let before = home
        home.count([:])
        #expect(home == before, "an event that names nothing counts nothing")
    }

    @Test("names that are not sure count less: three of them make a home, and many that hardly mean a place make none")
    func sureness() throws {
        var home = LearnedHome()
        for _ in 0..<2 { home.count(["US": 1.96, "US.NE": 1.2]) }
        #expect(home.context == PlaceContext(country: "US"))
        home.count(["US": 1.96, "US.NE": 1.2])
        #expect(home.context == PlaceContext(country: "US", region: "NE"))
        var unsure = LearnedHome()
        for _ in 0..<40 { unsure.count(["TR": 0.3, "TR.72": 0.3]) }
        #expect(unsure.context == PlaceContext())
        #expect(try JSONDecoder().decode(LearnedHome.self, from: JSONEncoder().encode(home)) == home)
        let older = #"{"counts":{"US":4,"US.LA":4},"events":2}"#
        #expect(try JSONDecoder().decode(LearnedHome.self, from: Data(older.utf8)) == Self.home(["US.LA", "US.LA"]))
    }

    @Test("a hundred events that name one far town move the home, and the home comes back")
    func poison() {
        let poison = Array(repeating: "CL.12", count: 100)
        var home = Self.home(Array(repeating: "US.LA", count: 20) + poison)
        #expect(home.context == PlaceContext(country: "CL", region: "12"))
        var events = 0
        while home.context != PlaceContext(country: "US", region: "LA"), events < 1000 {
            home.count(Self.votes("US.LA"))
            events += 1
        }
        #expect(events < 200, "\(events)")
    }

    @Test("later events that contradict a home drop it, and a young one sooner", arguments: [(9, 8), (500, 45)])
    func contradiction(learned: Int, contradicting: Int) {
        var home = Self.home(Array(repeating: "US.NE", count: learned))
        #expect(home.context == PlaceContext(country: "US", region: "NE"))
        for number in 0..<contradicting { home.count(Self.votes(["AT.05", "AT.06", "AT.09"][number % 3])) }
        #expect(home.context.country == nil, "\(home)")
        for _ in 0..<contradicting { home.count(Self.votes("AT.09")) }
        #expect(home.context.country == "AT")
    }

    @Test("events that name places all over the world drop a home, too")
    func scattered() {
        var home = Self.home(Array(repeating: "US.NE", count: 500))
        for number in 0..<128 { home.count(Self.votes("\(["FR", "GB", "IQ", "RU", "CN"][number % 5]).01")) }
        #expect(home.context == PlaceContext())
    }

    @Test("what is kept stays below 2 kB, whatever events name")
    func size() throws {
        var home = LearnedHome()
        var largest = 0
        for number in 0..<3000 {
            let country = "\(UnicodeScalar(65 + UInt8(number % 26)))\(UnicodeScalar(65 + UInt8(number / 26 % 26)))"
            let regions = (0..<6).map { ("\(country).\(number % 97)\($0)", 0.97) }
            home.count(Dictionary(uniqueKeysWithValues: [(country, 1.94)] + regions))
            largest = max(largest, try JSONEncoder().encode(home).count)
        }
        #expect(largest > 500 && largest <= 2000, "\(largest)")
    }
}
