import Foundation
import Model
import Reading
import Store

extension ReadAPI {
    /// Answers what lies below `/fdsnws`: the event service of the FDSN Web Service Specifications 1.2. Never throws: a
    /// fault becomes a text, as the specification has it.
    /// - Parameter segments: Those behind `fdsnws`.
    func fdsn(_ request: APIRequest, _ segments: [String], now: Date) -> Reply {
        @Sendable func told(_ error: any Error) -> APIAnswer {
            var answer = Problem(error).fdsnAnswer(to: request, now: now)
            answer.fault = error as? StoreError
            return answer
        }
        do {
            let reply = try fdsnRoute(request, segments, now: now)
            guard case .read(let read) = reply else { return reply }
            return .read { store in
                do { return try read(store) } catch { return told(error) }
            }
        } catch {
            return .answer(told(error))
        }
    }

    private func fdsnRoute(_ request: APIRequest, _ segments: [String], now: Date) throws -> Reply {
        guard segments.starts(with: ["event", "1"]), segments.count <= 3 else {
            throw Problem.missing(
                "there is nothing at \(request.fullPath); events are at \(request.basePath)\(FDSNService.path)")
        }
        let name = segments.count == 3 ? segments[2] : ""
        switch name {
        case "query":
            var parameters = try Parameters(request)
            return fdsnQuery(request, try FDSNRequest(&parameters), now: now)
        case "count":
            var parameters = try Parameters(request)
            return fdsnCount(request, try FDSNRequest(&parameters, isCount: true), now: now)
        case "": return .answer(try fdsnText(request, fdsnLanding(request.base), MediaType.html))
        case "version": return .answer(try fdsnText(request, FDSNService.version, MediaType.text))
        case "application.wadl":
            return .answer(try fdsnText(request, FDSNService.wadl(base: request.base), MediaType.xml))
        case "catalogs", "contributors":
            try Parameters(request).end()
            return validated(request, .changeAndMinute(minute(now)), form: name) { store, _ in
                let found = try store.origins(of: .earthquake)
                let text =
                    name == "catalogs"
                    ? FDSNService.list("Catalog", of: found.sources)
                    : FDSNService.list("Contributor", of: found.providers)
                return APIAnswer(text, type: MediaType.xml)
            }
        default:
            throw Problem.missing(
                "there is nothing at \(request.fullPath); the start is at \(request.basePath)\(FDSNService.path)")
        }
    }

    private func fdsnQuery(_ request: APIRequest, _ asked: FDSNRequest, now: Date) -> Reply {
        // A further source that shows an event has no change number.
        let minute = self.minute(now)
        return validated(
            request, .changeAndMinute(minute), form: "fdsn.\(asked.format.rawValue)",
            cacheControl: Self.cacheControl(asked.query.categories)
        ) { store, _ in
            let generated = Date(milliseconds: minute * 60_000)
            guard var writer = try FDSNWriter(asked, base: request.base, generated: generated, from: store) else {
                guard asked.noData == .noContent else { throw Problem.missing("no event matches") }
                return APIAnswer(status: 204)
            }
            let type = asked.format.mediaType
            return APIAnswer(headers: [("content-type", type)], body: try writer.body(from: store))
        }
    }

    /// The number of events that the query selects, whatever its `limit` and `offset`.
    private func fdsnCount(_ request: APIRequest, _ asked: FDSNRequest, now: Date) -> Reply {
        let most = FDSNRequest.mostCounted
        return validated(
            request, .changeAndMinute(minute(now)), form: "fdsn.count.\(asked.format.rawValue)",
            cacheControl: Self.cacheControl(asked.query.categories)
        ) { store, _ in
            var count = 0
            if let query = try asked.matching(in: store) {
                guard let found = try store.count(query, atMost: most, withErased: false) else {
                    throw Problem.tooMuch("more than \(most) events match; ask for a shorter time")
                }
                count = found
            }
            guard asked.format == .geojson else { return APIAnswer("\(count)\n", type: MediaType.text) }
            return APIAnswer(json: [
                "count": count, "maxAllowed": FDSNRequest.mostEvents,
            ])
        }
    }

    // MARK: - Other documents

    /// An answer that depends on the program alone, and takes no parameters.
    private func fdsnText(_ request: APIRequest, _ text: String, _ type: String) throws -> APIAnswer {
        try Parameters(request).end()
        return try validated(request, "fdsn", form: request.path) { APIAnswer(text, type: type) }
    }

    private func fdsnLanding(_ base: String) -> String {
        let own = base + FDSNService.path
        let links = [
            Link("item", "\(own)query?limit=20&format=text", "text/plain", "query: the latest 20 earthquakes as text"),
            Link("item", "\(own)count", "text/plain", "count: how many earthquakes a query has"),
            Link("item", "\(own)catalogs", MediaType.xml, "catalogs: the sources"),
            Link("item", "\(own)contributors", MediaType.xml, "contributors: the providers"),
            Link("item", "\(own)version", "text/plain", "version"),
            Link("describedby", "\(own)application.wadl", MediaType.xml, "application.wadl: all parameters"),
        ]
        let title = "FDSN event web service \(FDSNService.version)"
        return HTMLPage.page(title, HTMLPage.list(links))
    }
}

extension Problem {
    /// The problem as the text of the FDSN Web Service Specifications 1.2, with the fields of `answer`.
    func fdsnAnswer(to request: APIRequest, now: Date) -> APIAnswer {
        // A client that meets 413 asks for less; after 503 it would ask the same again.
        let status = type == "/problems/too-costly" ? 413 : self.status
        var lines = ["Error \(status): \(Self.reason(status))", "", detail]
        let facts = [("Parameter", parameter), ("Found", found), ("Accepted", accepted)]
        for (name, text) in facts {
            if let text, !text.isEmpty { lines.append("\(name): \(text)") }
        }
        let target = request.fullPath + (request.query.map { "?" + $0 } ?? "")
        lines += [
            "", "Usage details are available from \(request.base)\(FDSNService.path)", "", "Request:",
            String(target.prefix(1_000)), "", "Request Submitted:", now.timestamp, "", "Service version:",
            FDSNService.version,
        ]
        let text = lines.map { $0.safeToShow + "\n" }.joined()
        return Self.completed(APIAnswer(status: status, text, type: MediaType.text))
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Request Entity Too Large"
        case 421: "Misdirected Request"
        case 503: "Service Unavailable"
        default: "Internal Server Error"
        }
    }
}
