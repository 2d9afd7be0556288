import Foundation
import Synchronization

/// Simulates MapQuest (`…/address`) and Nominatim (`…/search`) from a table of places, in the services' own formats.
///
/// ```swift
/// let script = GeocoderScript([.init("Hanover", latitude: 43.7, longitude: -72.29, country: "US", region: "NH")])
/// upstream.answerOthers { script.reply(to: $0) }
/// script.set(.quotaUsedUp, at: .mapquest)
/// ```
/// A text that is not in the table is answered as by the services: by MapQuest with the middle of the USA, by Nominatim
/// with an empty list. `reply(to:)` needs no network.
public final class GeocoderScript: Sendable {
    /// A simulated service, recognised by the last component of a request's path.
    public enum Service: String, Sendable, CaseIterable {
        /// MapQuest Geocoding API v1, at `…/address`; the text is in `location`.
        case mapquest
        /// Nominatim with `format=jsonv2`, at `…/search`; the text is in `q`.
        case nominatim

        /// The service of a path, by its last component; nil for other paths.
        init?(path: String) {
            switch path.split(separator: "/").last {
            case "address": self = .mapquest
            case "search": self = .nominatim
            default: return nil
            }
        }
    }

    /// A place that both services find.
    public struct Place: Sendable, Hashable {
        /// The kind of place, which decides on its rank and address in both formats; the raw value is as in tables.
        public enum Kind: String, Sendable, CaseIterable {
            /// A town or village.
            case city
            /// A division of a state.
            case county
            /// A division of a country.
            case state
            /// A whole country.
            case country
            /// A street; neither format gives its town.
            case street
        }

        /// The name; a text matches it in any case, also with `, REGION` and `, COUNTRY` after it.
        public var name: String
        /// Degrees north, -90…90, not checked.
        public var latitude: Double
        /// Degrees east, -180…180, not checked.
        public var longitude: Double
        /// ISO 3166-1 alpha-2 code in upper case.
        public var country: String
        /// Code of the state as in MapQuest and ISO 3166-2, such as `NH`; empty: none.
        public var region: String
        /// What the place is; default `city`.
        public var kind: Kind
        /// Nominatim's importance, 0…1; default 0.4.
        public var importance: Double

        /// Creates a place with these values, which are not checked.
        public init(
            _ name: String, latitude: Double, longitude: Double, country: String, region: String = "",
            kind: Kind = .city, importance: Double = 0.4
        ) {
            self.name = name
            self.latitude = latitude
            self.longitude = longitude
            self.country = country
            self.region = region
            self.kind = kind
            self.importance = importance
        }
    }

    /// A fault that replaces every answer of a service, or slows it.
    public enum Trouble: Sendable, Hashable {
        /// HTTP 429 without body, with Retry-After in seconds; nil: without Retry-After.
        case tooManyRequests(retryAfter: Int?)
        /// MapQuest: statuscode 403 inside HTTP 200; Nominatim: HTTP 403 with a page.
        case keyRefused
        /// MapQuest: HTTP 403 with plain text; Nominatim: HTTP 200 with the page "Bandwidth limit exceeded".
        case quotaUsedUp
        /// HTTP 500 with an HTML page.
        case serverError
        /// MapQuest: this statuscode inside HTTP 200; Nominatim: an error object with this code inside HTTP 200.
        case errorInside(Int)
        /// HTTP 200 with an HTML page ("Maintenance") instead of JSON.
        case page
        /// HTTP 200 with an empty body.
        case emptyBody
        /// HTTP 200 that announces 1000 bytes and closes the connection before the first.
        case cutShort
        /// No answer; the connection stays open until the upstream stops.
        case hang
        /// The right answer in pieces of 64 bytes, with this pause in between.
        case slow(pause: Duration)
    }

    private struct State {
        var places: [Place]
        var troubles: [Service: Trouble] = [:]
        var asked: [Service: [String: Int]] = [:]
    }

    private let state: Mutex<State>

    /// Creates a script without faults; of places with the same name the first is the best candidate.
    public init(_ places: [Place]) { state = Mutex(State(places: places)) }

    /// Creates a script from lines of `name`, `latitude`, `longitude`, `country` and optionally `region`, `kind` and
    /// `importance`, separated by tabs; empty lines and those that begin with `#` are skipped.
    ///
    /// The columns are the properties of `Place`, `kind` a raw value. Nil if a line has fewer than four columns, a
    /// number is unreadable or a kind unknown.
    public convenience init?(table: String) {
        var places: [Place] = []
        for line in table.split(whereSeparator: { $0.isNewline }) where !line.hasPrefix("#") {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
            guard cells.count >= 4, let latitude = Double(cells[1]), let longitude = Double(cells[2]) else {
                return nil
            }
            var place = Place(cells[0], latitude: latitude, longitude: longitude, country: cells[3])
            if cells.count > 4 { place.region = cells[4] }
            if cells.count > 5 {
                guard let kind = Place.Kind(rawValue: cells[5]) else { return nil }
                place.kind = kind
            }
            if cells.count > 6 {
                guard let importance = Double(cells[6]) else { return nil }
                place.importance = importance
            }
            places.append(place)
        }
        self.init(places)
    }

    /// Sets the fault of a service from now on, in place of any before; nil: it answers well.
    public func set(_ trouble: Trouble?, at service: Service) { state.withLock { $0.troubles[service] = trouble } }

    /// How often a service was asked, by the decoded text of the question; refused requests count. Empty before the
    /// first.
    public func asked(_ service: Service) -> [String: Int] { state.withLock { $0.asked[service] ?? [:] } }

    /// The answer to a request, which is counted; 404, uncounted, for a path of neither service.
    ///
    /// `countrycodes` (both services) and `maxResults` or `limit` narrow the answer; other parameters are ignored.
    public func reply(to request: RecordedRequest) -> Reply {
        guard let service = Service(path: request.path) else { return .status(404) }
        let parameters = Self.parameters(request.query)
        let text = parameters[service == .mapquest ? "location" : "q"] ?? ""
        let (places, trouble) = state.withLock { state in
            state.asked[service, default: [:]][text, default: 0] += 1
            return (state.places, state.troubles[service])
        }
        if let trouble, let reply = Self.reply(in: trouble, at: service) { return reply }
        var found = Self.places(named: text, in: places)
        if let country = parameters["countrycodes"]?.uppercased(), !country.isEmpty {
            let countries = country.split(separator: ",").map { String($0) }
            found = found.filter { countries.contains($0.country) }
        }
        if let most = parameters[service == .mapquest ? "maxResults" : "limit"].flatMap({ Int($0) }), most > 0 {
            found = Array(found.prefix(most))
        }
        let document = GeocoderDocument.answer(found, to: text, by: service)
        if case .slow(let pause)? = trouble {
            return .slow(document, pieceBytes: 64, pause: pause, type: "application/json")
        }
        return .status(200, headers: ["Content-Type": "application/json"], body: document)
    }
}

// MARK: - Parts of the answer

extension GeocoderScript {
    /// Nil if the service answers, if slowly.
    private static func reply(in trouble: Trouble, at service: Service) -> Reply? {
        let html = ["Content-Type": "text/html"]
        switch trouble {
        case .slow: return nil
        case .tooManyRequests(let seconds):
            return .status(429, headers: seconds.map { ["Retry-After": "\($0)"] } ?? [:])
        case .keyRefused:
            return service == .mapquest
                ? json(GeocoderDocument.error(403, "The AppKey submitted with this request is invalid.", by: service))
                : .status(403, headers: html, body: GeocoderDocument.page("Access denied"))
        case .quotaUsedUp:
            return service == .mapquest
                ? .status(
                    403, headers: ["Content-Type": "text/plain"],
                    body: Data("You have exceeded the number of monthly transactions of your plan.".utf8))
                : .status(200, headers: html, body: GeocoderDocument.page("Bandwidth limit exceeded"))
        case .serverError: return .status(500, headers: html, body: GeocoderDocument.page("Internal error"))
        case .errorInside(let code):
            return json(GeocoderDocument.error(code, "Error processing request: null", by: service))
        case .page: return .status(200, headers: html, body: GeocoderDocument.page("Maintenance"))
        case .emptyBody: return .status(200)
        case .cutShort: return .truncated(Data(), type: "application/json")
        case .hang: return .hang
        }
    }

    private static func json(_ document: Data) -> Reply {
        .status(200, headers: ["Content-Type": "application/json"], body: document)
    }

    /// Places that match a text such as `Hanover, NH, US`: the name, then region and country in any order.
    private static func places(named text: String, in places: [Place]) -> [Place] {
        let parts = text.lowercased().split(separator: ",").map { part in
            String(part).trimmingCharacters(in: .whitespaces)
        }
        return places.filter { place in
            let name = place.name.lowercased()
            let areas = [place.region.lowercased(), place.country.lowercased()]
            return name == text.lowercased()
                || (name == parts.first && parts.dropFirst().allSatisfy { areas.contains($0) })
        }
    }

    private static func parameters(_ query: String) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { side in
                let text = side.split(separator: "+", omittingEmptySubsequences: false).joined(separator: " ")
                return text.removingPercentEncoding ?? text
            }
            parameters[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
        return parameters
    }
}
