import Fetching
import Geocoding
import Model
import Testing

@Suite struct GeocoderRequestTests {
    private static let mapquest = MapQuest(url: "https://example.org/geocoding/v1/address", key: Secret("a+b/c=&d"))
    private static let nominatim = Nominatim(url: "https://example.org/search")

    private static func query(
        _ text: String, country: String? = nil, region: String? = nil, named: String? = nil
    ) -> PlaceQuery {
        PlaceQuery(
            text: text, folded: text.lowercased(), context: PlaceContext(country: country, region: region),
            namedCountry: named, evidence: .title)
    }

    /// A parameter of a URL, still percent-encoded.
    private static func parameter(_ name: String, of request: FetchRequest) -> String? {
        let query = request.url.drop { $0 != "?" }.dropFirst()
        let pair = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
        return pair.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test("MapQuest is asked with everything percent-encoded, for few candidates and without thumbnails")
    func mapquest() {
        let request = Self.mapquest.request(for: Self.query("São  Tomé & #1?"))
        #expect(
            request.url
                == "https://example.org/geocoding/v1/address?key=a%2Bb%2Fc%3D%26d"
                + "&location=S%C3%A3o%20Tom%C3%A9%20%26%20%231%3F&maxResults=10&thumbMaps=false&outFormat=json")
        #expect(request.form == nil)
        #expect(request.validators == Validators())
    }

    @Test("Nominatim is asked for named places and mountains, in English, with the parts of their addresses")
    func nominatim() {
        let request = Self.nominatim.request(for: Self.query("Zürich", country: "CH"))
        #expect(
            request.url
                == "https://example.org/search?q=Z%C3%BCrich&format=jsonv2&addressdetails=1&accept-language=en"
                + "&layer=address%2Cnatural&limit=10&countrycodes=ch")
    }

    @Test(
        "a bare name gets its context, a text with a comma has it",
        arguments: [
            ("Hanover", nil, nil, "Hanover", "Hanover"),
            ("Hanover", "DE", nil, "Hanover%2C%20DE", "Hanover"),
            ("Hanover", "DE", "06", "Hanover%2C%20DE", "Hanover"),
            ("Springfield", "US", "IL", "Springfield%2C%20IL%2C%20US", "Springfield%2C%20IL"),
            ("Santa Fe NM", "US", "NM", "Santa%20Fe%20NM%2C%20US", "Santa%20Fe%20NM"),
            ("London, Ontario", "CA", "08", "London%2C%20Ontario", "London%2C%20Ontario"),
        ] as [(String, String?, String?, String, String)])
    func context(text: String, country: String?, region: String?, location: String, q: String) {
        let query = Self.query(text, country: country, region: region)
        #expect(Self.parameter("location", of: Self.mapquest.request(for: query)) == location)
        #expect(Self.parameter("q", of: Self.nominatim.request(for: query)) == q)
    }

    @Test("a text that names a country is asked for as it stands, and a long one is cut")
    func texts() {
        let country = Self.query("France", country: "FR", named: "FR")
        #expect(Self.parameter("location", of: Self.mapquest.request(for: country)) == "France")
        let long = Self.query(String(repeating: "x", count: 5000))
        #expect(Self.parameter("location", of: Self.mapquest.request(for: long))?.count == 200)
        let lines = Self.query("Santa\nFe\t, \u{2028} NM")
        #expect(Self.parameter("q", of: Self.nominatim.request(for: lines)) == "Santa%20Fe%20%2C%20NM")
    }

    @Test("a URL that has a query keeps it")
    func longerURL() {
        let request = Nominatim(url: "https://example.org/proxy?to=search").request(for: Self.query("Hanover"))
        #expect(request.url.hasPrefix("https://example.org/proxy?to=search&q=Hanover&"))
    }

    @Test("the key is in the query alone, and in no description")
    func theKeyIsSecret() {
        let service = MapQuest(url: "https://example.org/address", key: Secret("hunter2"))
        let request = service.request(for: Self.query("Hanover"))
        #expect(!request.url.withoutQuery.contains("hunter2"))
        #expect(request.headers.isEmpty)
        var dumped = ""
        dump(Geocoder.mapquest(service), to: &dumped)
        let geocoder = Geocoder.mapquest(service)
        for text in [String(describing: service), String(reflecting: service), "\(geocoder)", dumped] {
            #expect(!text.contains("hunter2"))
        }
        let keyless = MapQuest(url: "https://example.org/address", key: nil)
        #expect(!keyless.request(for: Self.query("x")).url.contains("key="))
    }
}
