public import Foundation
import Operations
import Reading
import Store

/// The reason why a request is refused, as `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable, Hashable {
    /// The status code, 4xx or 5xx.
    public var status: Int
    /// The kind of problem as a relative reference, such as `/problems/parameter`.
    public var type: String
    /// The kind in words, the same for each problem of the kind.
    public var title: String
    /// What is wrong, for people.
    public var detail: String
    /// The name of the parameter at fault; nil: none is.
    public var parameter: String?
    /// The value found, cut to 200 characters.
    public var found: String?
    /// The values that would be accepted, in words.
    public var accepted: String?

    /// Creates a problem with these values; by default without a parameter.
    public init(
        status: Int, type: String, title: String, detail: String, parameter: String? = nil, found: String? = nil,
        accepted: String? = nil
    ) {
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.parameter = parameter
        self.found = found.map { String($0.unicodeScalars.prefix(200)) }
        self.accepted = accepted
    }

    /// A parameter whose value is refused (400).
    /// - Parameter detail: What is wrong; nil: the sentence of what is accepted.
    static func parameter(_ name: String, found: String, accepted: String, detail: String? = nil) -> Problem {
        Problem(
            status: 400, type: "/problems/parameter", title: "Bad parameter",
            detail: detail ?? "\(name) takes \(accepted)", parameter: name, found: found, accepted: accepted)
    }

    /// Something that is not there (404).
    static func missing(_ detail: String) -> Problem {
        Problem(status: 404, type: "/problems/not-found", title: "Not found", detail: detail)
    }

    /// Something that is gone for good (410).
    static func gone(_ detail: String) -> Problem {
        Problem(status: 410, type: "/problems/gone", title: "Gone", detail: detail)
    }

    /// The answer that tells the problem, with the error of the store that it comes from.
    func answer(for error: any Error) -> APIAnswer {
        var answer = answer
        answer.fault = error as? StoreError
        return answer
    }

    /// The problem that an error is. Errors of the database name no path and quote no SQL.
    public init(_ error: any Error) {
        if let problem = error as? Problem {
            self = problem
            return
        }
        if let unknown = error as? KnownNames.Unknown {
            self = .parameter(unknown.what, found: unknown.name, accepted: unknown.known, detail: unknown.words)
            return
        }
        guard let error = error as? StoreError else {
            self = .inside
            return
        }
        switch error.code {
        case .noFullText:
            self = .parameter("q", found: "", accepted: "no value here, since this database has no index of words")
        case .tooCostly:
            self.init(
                status: 503, type: "/problems/too-costly", title: "Too costly",
                detail: "the query takes too long; ask for a shorter time or a smaller area")
        case .busy:
            self.init(
                status: 503, type: "/problems/busy", title: "Busy", detail: "many requests wait already; try again")
        case .cannotOpen:
            self = .unavailable(
                "the database is not there, or cannot be opened, which the log of visiventd serve explains; "
                    + "visiventd run makes one where there is none")
        case .olderSchema(found: 0, known: _):
            self = .unavailable("the database is empty; visiventd run creates its tables at its start")
        case .olderSchema:
            self = .unavailable("the database is of an older version; visiventd run migrates it at its start")
        case .newerSchema:
            self = .unavailable("the database is of a newer version than visiventd serve; upgrade and restart it")
        case .notADatabase, .corrupt:
            self = .unavailable("the file is no database, or is damaged, which the log of visiventd serve explains")
        case .interrupted, .io, .replaced, .closed: self = .unavailable("the database cannot be read at the moment")
        default: self = .inside
        }
    }

    static func unavailable(_ detail: String) -> Problem {
        Problem(status: 503, type: "/problems/unavailable", title: "Unavailable", detail: detail)
    }

    private static let inside = Problem(
        status: 500, type: "/problems/internal", title: "Internal error", detail: "the request cannot be answered")

    /// The problem as one JSON object.
    public var json: String {
        JSONWriter.object([
            "type": type, "title": title, "status": status, "detail": detail, "parameter": parameter, "found": found,
            "accepted": accepted,
        ])
    }

    /// The problem as an answer; with `Retry-After` if it may pass, and `Allow` if the method is refused.
    public var answer: APIAnswer { Self.completed(APIAnswer(status: status, json, type: MediaType.problem)) }

    /// The problem as the answer to a request: a text below `/fdsnws`, as FDSN has it, else `answer`.
    /// - Parameter now: The wall time.
    public func answer(to request: APIRequest, now: Date) -> APIAnswer {
        request.segments?.first == "fdsnws" ? fdsnAnswer(to: request, now: now) : answer
    }

    /// The answer with the fields that its status asks for.
    static func completed(_ answer: APIAnswer) -> APIAnswer {
        let answer = answer.with("cache-control", "no-store")
        return switch answer.status {
        case 503: answer.with("retry-after", "5")
        case 405: answer.with("allow", "GET, HEAD")
        default: answer
        }
    }
}
