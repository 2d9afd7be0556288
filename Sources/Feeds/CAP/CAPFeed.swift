import Foundation
public import Model
import Reading

/// Public warnings in the Common Alerting Protocol 1.0, 1.1 and 1.2, such as the Global Volcanism Program's weekly
/// file.
///
/// A document is one `<alert>` or a wrapper around several (EDXL-DE, IPAWS `alerts`, Atom entries that contain them).
/// An Atom or RSS index with links to alerts gives no events; it gives one follow-up request for each new or changed
/// document.
public struct CAPFeed: Feed {
    /// The kind `cap`: by default GVP's weekly file every 2 h 48 min, only the status `Actual`, events kept 120 days;
    /// docs/feeds-cap-kml.md has its keys.
    public static let kind = FeedKind(
        name: "cap", summary: "public warnings in CAP 1.0, 1.1 and 1.2, also through Atom and RSS indexes",
        decoderVersion: 2, defaultURL: "https://volcano.si.edu/news/WeeklyVolcanoCAP.xml",
        refreshInterval: .seconds(10_080), offset: .seconds(120), maxAge: .seconds(2880 * 3600),
        options: [
            FeedOption(
                "statuses", .texts, default: .texts(["Actual"]),
                "Alert statuses that are kept (Actual, Exercise, System, Test, Draft); others are refused."),
            FeedOption(
                "most_documents", .integer(1...1000), default: .integer(100),
                "Most documents of an index that are asked in one poll; the rest follows in later polls."),
        ])

    private let settings: SourceSettings

    /// Binds the kind to a source; the case of `statuses` does not matter.
    /// - Throws: `FeedSettingsError` for a status that CAP does not define (§3.2.1).
    public init(_ settings: SourceSettings) throws(FeedSettingsError) {
        self.settings = settings
        let known = ["Actual", "Exercise", "System", "Test", "Draft"]
        if let unknown = settings.options["statuses"]?.texts?.first(where: { status in
            !known.contains { $0.lowercased() == status.lowercased() }
        }) {
            throw FeedSettingsError(key: "statuses", found: unknown, accepted: known.joined(separator: ", "))
        }
    }

    /// One request with the role `feed` for each URL of the source. It is unconditional if the last poll left documents
    /// of its index unread.
    public func requests(for poll: PollContext) -> [FeedRequest] {
        settings.urls().map { topic, url in
            // An index that was not read completely must be read again even if it is unchanged.
            FeedRequest(
                url: url, role: "feed", topic: topic, headers: Self.headers,
                isConditional: !CAPIndex.wasIncomplete(poll.state, topic: topic))
        }
    }

    /// Decodes alerts into events and withdrawals, and an index into follow-up requests with the role `document`.
    ///
    /// Faulty alerts and entries become issues. Of an index at most `most_documents` are requested, newest first; the
    /// new state marks them as read.
    /// - Throws: `Failure` with fault `feed` and code `not_cap`, `html_page` (retryable), `truncated`, or one of
    ///   `XMLReader.read` (`too_large` for more than 32 MiB). The answer to a follow-up request without any alert is
    ///   `not_cap`, too.
    public func decode(_ response: FeedResponse, for poll: PollContext) throws(Failure) -> FeedAnswer {
        var limits = XMLLimits()
        // Alerts may embed images and sound in base64 (CAP 1.2 §3.2.3 derefUri).
        limits.itemBytes = 32 << 20
        limits.skeletonBytes = 32 << 20
        let document: XMLDocument
        do throws(ReadingError) {
            document = try XMLReader.read(response.body, limits: limits)
        } catch {
            throw Failure.feed(error, body: response.body)
        }
        let root = document.root
        guard !document.isTruncated else {
            throw Failure.feed("truncated", "The document ends before <\(root.name)> is closed.", body: response.body)
        }

        var decoder = CAPDecoder(statuses: statuses)
        decoder.note(document.problems)
        var alerts: [XMLNode] = []
        Self.collectAlerts(in: root, into: &alerts)
        decoder.add(alerts)
        var answer = decoder.answer

        if response.request.role == "document" {
            guard !alerts.isEmpty else { throw Self.notCAP(root, in: response) }
        } else if alerts.isEmpty {
            if let index = CAPIndex(root, url: response.url) {
                let most = settings.options["most_documents"]?.integer ?? 100
                let plan = index.plan(state: poll.state, reading: reading, most: most)
                answer.followUps = plan.entries.map {
                    let mark = $0.mark(reading: reading)
                    return FeedRequest(
                        url: $0.url, role: "document", topic: response.request.topic, headers: Self.headers,
                        isEssential: false, maximumTries: plan.late.contains(mark) ? 1 : 2, notes: ["mark": mark])
                }
                answer.state = plan.state
                for issue in index.issues { answer.report(issue) }
                answer.tallies["links"] = index.entries.count
            } else if !Self.wrappers.contains(root.name) {
                throw Self.notCAP(root, in: response)
            }
        }
        return answer
    }

    /// The state with which a document that could not be fetched is requested again, as long as the index lists it: at
    /// each poll after a transient failure, such as a web page in its place; once after a 404, which may be too early,
    /// or after an unusable document, which may be half written.
    ///
    /// Nil (no change) for other requests and failures, and for a second failure that is not transient.
    public func state(after refusal: Failure, of request: FeedRequest, for poll: PollContext) -> FeedState? {
        guard request.role == "document", let mark = request.notes["mark"] else { return nil }
        guard refusal.isRetryable || refusal.status == 404 || refusal.fault == .feed else { return nil }
        return CAPIndex.state(poll.state, late: mark, isRetryable: refusal.isRetryable)
    }

    private var statuses: [String] { settings.options["statuses"]?.texts ?? ["Actual"] }

    /// A key for how documents are read. Another decoder, other statuses or another filter may give other events, so a
    /// change of the key makes all documents due again.
    private var reading: String {
        let words = settings.filter.keywords?.words.joined(separator: ",") ?? ""
        let magnitude = settings.filter.minimumMagnitude.map { "\($0)" } ?? ""
        return "\(Self.kind.decoderVersion) \(statuses.joined(separator: ",")) \(words) \(magnitude)"
    }

    /// The accepted types, spelled out. GVP answers 403 to `Accept: application/json`.
    private static let headers = [
        "Accept": "application/cap+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.1"
    ]

    /// Root elements that are valid without any alert.
    private static let wrappers: Set<String> = ["alerts", "EDXLDistribution", "Envelope"]

    /// Collects the outermost `<alert>` elements at any depth.
    private static func collectAlerts(in node: XMLNode, into found: inout [XMLNode]) {
        if node.name == "alert" { return found.append(node) }
        for child in node.children { collectAlerts(in: child, into: &found) }
    }

    private static func notCAP(_ root: XMLNode, in response: FeedResponse) -> Failure {
        if root.name.lowercased() == "html" {
            return Failure.feed(.htmlPage("The body is an HTML page, not a CAP document."), body: response.body)
        }
        return Failure.feed(
            "not_cap", "The body has no <alert>: its root element is <\(root.name.prefix(40))>.", body: response.body)
    }
}
