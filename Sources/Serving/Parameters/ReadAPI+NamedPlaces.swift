import Foundation
import Gazetteer
import Model
import Operations
import Store

extension ReadAPI {
    /// Routes a request. One with the name of a place is routed once more when the place has been found, which needs the
    /// database.
    func routed(_ request: APIRequest, now: Date) throws -> Reply {
        guard let name = Self.place(of: request) else { return try route(request, now: now) }
        // What else is wrong with the request is told without a search, and so is what takes no place. Whether the answer
        // is the client's own depends on the place.
        var first = Self.located(request, at: Coordinate(latitude: 0, longitude: 0))
        first.change = nil
        let reply = try route(first, now: now)
        switch reply {
        case .answer(let answer): if case .stream = answer.body { break } else { return reply }
        case .read: break
        }
        return .read { store in
            let place = try self.place(of: name, from: store)
            let answer =
                switch try route(Self.located(request, at: place.coordinate), now: now) {
                case .answer(let answer): answer
                case .read(let read): try read(store)
                }
            return answer.with("near", place.words.percentEncoded)
        }
    }

    /// The only `near` of a request, if it is a name.
    private static func place(of request: APIRequest) -> String? {
        let items = (try? QueryItem.items(of: request.query)) ?? []
        let near = items.filter { $0.name == "near" }
        return near.count == 1 ? near.first.map(\.value).flatMap { NamedPlace.isName($0) ? $0 : nil } : nil
    }

    private static func located(_ request: APIRequest, at place: Coordinate?) -> APIRequest {
        var request = request
        request.place = place
        return request
    }

    /// The volcano or city of a name; throws `Problem` with the places that an ambiguous one may mean.
    private func place(of name: String, from store: EventStore) throws -> NamedPlace {
        do {
            return try namedPlaces.find(name, in: store)
        } catch let fault as NamedPlace.Fault {
            var (detail, accepted) = (fault.words, EventParameters.acceptedName)
            if case .ambiguous(_, let places, _, _) = fault {
                accepted = places.map(\.words).joined(separator: "; ")
                detail += "; \(fault.advice("latitude and longitude")) \(accepted)"
            }
            throw Problem.parameter("near", found: name, accepted: accepted, detail: detail)
        } catch is GazetteerError {
            throw Self.unreadableTable
        }
    }
}
