import Foundation
import Model
import Testing

@testable import Gazetteer

/// A text that consists of a place only.
@Suite struct SingleResolverTests {
    private let world: TestTable
    private let resolver: Resolver

    init() throws {
        world = try TestTable.resolverWorld()
        resolver = Resolver(world.table)
    }

    @Test(
        "a place text means one place",
        arguments: [
            ("Paris", "FR.A8"), ("PARIS", "FR.A8"), ("Paris, France", "FR.A8"), ("Paris, Texas", "US.TX"),
            ("paris, tx", "US.TX"), ("Paris, Tex.", "US.TX"), ("Paris, Texas, USA", "US.TX"),
            ("Paris, Île-de-France, France", "FR.A8"), ("London", "GB.ENG"), ("London, Ontario", "CA.08"),
            ("London, Ont.", "CA.08"), ("London, UK", "GB.ENG"), ("Toronto, CA", "CA.08"), ("Montreal", "CA.10"),
            ("Springfield, IL", "US.IL"), ("Springfield, Mo.", "US.MO"), ("New York, NY", "US.NY"),
            ("New York", "US.NY"), ("Washington, DC", "US.DC"), ("Washington", "US.DC"), ("Atlanta, Georgia", "US.GA"),
            ("Tbilisi, Georgia", "GE.51"), ("Saint Thomas, Canada", "CA.08"), ("Seattle, somewhere", "US.WA"),
            ("Paris, Atlantis", "FR.A8"),
        ] as [(String, String)])
    func meansCity(text: String, region: String) throws {
        let place = try #require(try found(text)?.place)
        #expect(place.kind == .city)
        #expect("\(place.country).\(place.region)" == region)
    }

    @Test(
        "an area is kept as an area",
        arguments: [
            ("France", "country:FR"), ("USA", "country:US"), ("uk", "country:GB"), ("Luxembourg", "country:LU"),
            ("Georgia", "country:GE"), ("Texas", "region:US.TX"), ("TX", "region:US.TX"), ("Quebec", "region:CA.10"),
            ("northern Iraq", "country:IQ"), ("Turkish", "country:TR"), ("Texas, USA", "region:US.TX"),
            ("State of Texas", "region:US.TX"), ("Dallas County, Texas", "district:US.TX.113"),
        ] as [(String, String)])
    func meansArea(text: String, id: String) throws {
        #expect(try found(text)?.place.id == id)
    }

    @Test(
        "no answer where none is sure",
        arguments: [
            ("Springfield", Abstention.ambiguous), ("Springfield, USA", .ambiguous), ("Novo", .ambiguous),
            ("Edmonton, Kentucky", .unknownName), ("Atlantis", .unknownName), ("Albany, Atlantis", .unlikely),
            ("Eastern", .notAPlace), ("", .notAPlace), (" , ", .notAPlace), ("❤", .notAPlace),
            ("France, Canada", .ambiguous), ("us", .unknownName),
        ] as [(String, Abstention)])
    func abstains(text: String, reason: Abstention) throws {
        switch try resolver.resolve(text) {
        case .found(let resolution): Issue.record("found \(resolution.place.id)")
        case .abstained(let why, _): #expect(why == reason)
        }
    }

    @Test("a very long text is no place")
    func longText() throws {
        guard case .abstained(.notAPlace, _) = try resolver.resolve(String(repeating: "a", count: 10_000)) else {
            Issue.record("expected no place")
            return
        }
    }

    @Test("the source's country decides between homonyms, but does not exclude")
    func context() throws {
        let canada = PlaceContext(country: "CA")
        #expect(try found("London", canada)?.place.country == "CA")
        #expect(try found("Paris", canada)?.place.country == "FR")
        #expect(try found("Georgia", PlaceContext(country: "US"))?.place.id == "region:US.GA")
        #expect(try found("Springfield", PlaceContext(country: "US", region: "IL"))?.place.region == "IL")
    }

    @Test("unknown populations are answered only where one spot is meant")
    func unknownPopulation() throws {
        #expect(try found("Lonely")?.confidence == Confidence.unknownPopulation)
        #expect(try found("Twins")?.confidence == Confidence.unknownPopulation)
        #expect(try found("Novo, Poland")?.place.country == "PL")
    }

    @Test("runners-up are given on request")
    func runnersUp() throws {
        #expect(try found("Paris")?.runnersUp.isEmpty == true)
        var asking = resolver
        asking.runnersUpLimit = 3
        guard case .found(let resolution) = try asking.resolve("Paris") else {
            Issue.record("expected Paris")
            return
        }
        #expect(resolution.runnersUp.map { $0.region } == ["TX"])
        guard case .abstained(.ambiguous, let candidates) = try asking.resolve("Springfield") else {
            Issue.record("expected no answer")
            return
        }
        #expect(candidates.map { $0.region } == ["MO", "MA", "IL"])
    }

    private func found(_ text: String, _ context: PlaceContext = PlaceContext()) throws -> Resolution? {
        guard case .found(let resolution) = try resolver.resolve(text, context: context) else { return nil }
        return resolution
    }
}

/// The names of one document, resolved together; they are marked by `[brackets]`.
@Suite struct DocumentResolverTests {
    private let world: TestTable
    private let resolver: Resolver

    init() throws {
        world = try TestTable.resolverWorld()
        resolver = Resolver(world.table)
    }

    @Test(
        "names in a document mean these places",
        arguments: [
            ("[TBILISI], [Georgia] - Troops moved, [Georgia] said.", ["GE.51", "country:GE", "country:GE"]),
            (
                "The senator from [Georgia] met voters in [Atlanta] before flying to [Florida].",
                ["region:US.GA", "US.GA", "region:US.FL"]
            ),
            (
                "[Olympia], [Washington]: the governor of [Washington] said [Seattle] would get aid.",
                ["US.WA", "region:US.WA", "region:US.WA", "US.WA"]
            ),
            ("[WASHINGTON] - The White House said [Turkey] agreed.", ["US.DC", "country:TR"]),
            ("[MOSUL], [Iraq]/[BAGHDAD] - [Iraqi] forces", ["IQ.15", "country:IQ", "IQ.07", "country:IQ"]),
            ("He lives in [New York] and works in [Albany], [New York].", ["US.NY", "US.NY", "region:US.NY"]),
            ("Fire in [Paris], [Texas]. The [Paris] fire is out.", ["US.TX", "region:US.TX", "US.TX"]),
            ("[Paris] was calm, [France] said.", ["FR.A8", "country:FR"]),
            (
                "It works in [Pennsylvania], [Delaware], [Ohio] and [Texas].",
                ["region:US.PA", "region:US.DE", "region:US.OH", "region:US.TX"]
            ),
            ("Meetings in [Delaware], [Ohio], were held.", ["US.OH", "region:US.OH"]),
            ("[Springfield], [Ill.], is hot.", ["US.IL", "region:US.IL"]),
            ("A quake shook [northern Iraq].", ["country:IQ"]),
            ("The [Dallas County] sheriff in [Texas]", ["district:US.TX.113", "region:US.TX"]),
            ("A shelter opens in [London]; [St. Thomas] has one.", ["CA.08", "CA.08"]),
            ("[Ankara] is the capital of [Turkey].", ["TR.68", "country:TR"]),
        ] as [(String, [String])])
    func means(marked: String, expected: [String]) throws {
        #expect(try resolve(marked) == expected)
    }

    @Test(
        "names that cannot be told stay open",
        arguments: [
            // The table has no Edmonton in Kentucky, so no mention of it may mean the Canadian one.
            ("[Edmonton], Ky. - A hunter was found. [Edmonton] police said", ["unknownName", "unknownName"]),
            // Nor has it a Paris in Lincolnshire, a county without the word county.
            ("Fire in [Paris], Lincolnshire, is out", ["unknownName"]),
            // A local story of Texas does not mean Zurich.
            ("Texas police said [Zurich] was closed, Texas said.", ["unlikely"]),
            ("[Eastern] and others", ["notAPlace"]),
            ("[Atlantis] sank", ["unknownName"]),
        ] as [(String, [String])])
    func abstains(marked: String, expected: [String]) throws {
        #expect(try resolve(marked) == expected)
    }

    @Test(
        "a state stands behind a town, though the table has none of the name; in a list it does not",
        arguments: [
            ("[Ankara], [Illinois] evacuated. [Ankara] was flooded", ["unknownName", "region:US.IL", "unknownName"]),
            ("On Friday, [Ankara], [Illinois], was flooded", ["unknownName", "region:US.IL"]),
            ("[Turkey], [Texas] mourns", ["unknownName", "region:US.TX"]),
            (
                "Fires in [Ankara], [Illinois], and [Paris], [Texas]",
                ["unknownName", "region:US.IL", "US.TX", "region:US.TX"]
            ),
            ("[Delaware], [Ohio], [United States]", ["US.OH", "region:US.OH", "country:US"]),
            // The other meanings of such a name stay open.
            ("Fire in [Quebec], [Ohio]. [Quebec] said", ["unknownName", "region:US.OH", "region:CA.10"]),
            ("[St. Thomas], [New York] mourns", ["unknownName", "region:US.NY"]),
            ("[Turkey], [Washington] extend treaty", ["country:TR", "US.DC"]),
            ("[Turkey], [Russia] and [Iraq] talk", ["country:TR", "country:RU", "country:IQ"]),
            ("[Turkey], [Texas] and [Ohio] talk", ["country:TR", "region:US.TX", "region:US.OH"]),
            ("[Florida], [Texas] sue", ["region:US.FL", "region:US.TX"]),
            ("Fires in [Washington], [Texas] and [Ohio]", ["region:US.WA", "region:US.TX", "region:US.OH"]),
            ("Fires in [Texas] and [Washington]", ["region:US.TX", "region:US.WA"]),
            (
                "Floods in [Ankara], [Turkey], and [Paris], [France]",
                ["TR.68", "country:TR", "FR.A8", "country:FR"]
            ),
        ] as [(String, [String])])
    func behindComma(marked: String, expected: [String]) throws {
        #expect(try resolve(marked) == expected)
    }

    @Test(
        "Georgia is the state or the country as the document tells",
        arguments: [
            ("A tornado hit Bainbridge, [Georgia], as it did [Florida]", ["region:US.GA", "region:US.FL"]),
            ("However, [Georgia] said so", ["country:GE"]),
            ("Talks with Russia, [Georgia] and others", ["country:GE"]),
        ] as [(String, [String])])
    func behindTown(marked: String, expected: [String]) throws {
        #expect(try resolve(marked) == expected)
    }

    @Test("a pronoun is no country")
    func pronoun() throws {
        #expect(try resolve("They told us so in [London].") == ["GB.ENG"])
        #expect(try resolve("The US said so in [Springfield], Mo.") == ["US.MO"])
    }

    @Test("the matched text holds what stands behind the comma")
    func matchedText() throws {
        let text = "Fire in Paris, Texas, again"
        let range = try #require(text.range(of: "Paris"))
        guard case .found(let resolution) = try resolver.resolve([range], in: text).first else {
            Issue.record("expected Paris")
            return
        }
        #expect(resolution.matchedText == "Paris, Texas")
        #expect(resolution.confidence > 0.9)
    }

    /// Cities by region, such as `US.TX`, areas by id, else the reason.
    private func resolve(_ marked: String) throws -> [String] {
        var text = ""
        var starts: [Int] = []
        var ends: [Int] = []
        for character in marked {
            switch character {
            case "[": starts.append(text.count)
            case "]": ends.append(text.count)
            default: text.append(character)
            }
        }
        let ranges = zip(starts, ends).map { start, end in
            text.index(text.startIndex, offsetBy: start)..<text.index(text.startIndex, offsetBy: end)
        }
        return try resolver.resolve(ranges, in: text).map { outcome in
            switch outcome {
            case .found(let resolution):
                let place = resolution.place
                return place.kind == .city ? "\(place.country).\(place.region)" : place.id
            case .abstained(let reason, _): return reason.rawValue
            }
        }
    }
}
