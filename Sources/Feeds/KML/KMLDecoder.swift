import Foundation
import Model
import Reading

/// Turns placemarks into events and issues.
///
/// Reports of the Global Volcanism Program have the identity of `GVPReport`. All others have the feed's provider; their
/// id is the placemark's `id` attribute, else a field `id`, `guid`, `publicid` or `ref` (GeoNet) of its extended data,
/// else a hash of name, shape, time stamp and description. The hash is appended to an explicit id that recurs with
/// other content. A placemark without a shape is kept; an empty one is an issue.
///
/// Placemarks in commands that change an earlier document (`<Update>`, `targetId`) are counted as `update_commands`.
struct KMLDecoder {
    /// The answer to the placemarks so far.
    private(set) var answer = FeedAnswer()
    /// The number of visited elements: outermost items and all that their folders contain.
    private(set) var items = 0
    private let provider: String
    /// The configured category; nil derives it from the placemark.
    private let category: Model.Category?
    private var placemarks = 0
    private var position = ""
    /// Content hashes by the hash of the explicit id.
    private var hashes: [Int: String] = [:]
    private var reports = GVPNames()

    init(provider: String, category: Model.Category?) {
        self.provider = provider
        self.category = category
    }

    /// Whether the root is itself a feature or a shape, as in fragments without `<kml>`.
    static func isBareRoot(_ root: XMLNode) -> Bool {
        ["Document", "Folder", "Placemark", "NetworkLink"].contains(root.name) || KMLGeometry.names.contains(root.name)
    }

    /// Reports the first 20 faults that the XML reader mended, and every item that it dropped.
    mutating func note(_ document: XMLDocument) {
        for problem in document.problems.prefix(20) {
            answer.report(FeedIssue("bad_xml", at: "line \(problem.line)", found: problem.message))
        }
        for item in document.lostItems {
            answer.report(FeedIssue(item.code, at: "line \(item.line)", found: item.message, costsItem: true))
        }
    }

    /// Adds a feature with all its contents.
    /// - Parameter path: The names of its folders, outermost first, separated by ` / `.
    mutating func visit(_ node: XMLNode, path: String) {
        guard !WorkLimit.isExceeded else { return }
        items += 1
        switch node.name {
        case _ where Self.commands.contains(node.name) || node.attribute("targetId") != nil:
            let count = node.name == "Placemark" ? 1 : node.descendants("Placemark").count
            if count > 0 { answer.tallies["update_commands", default: 0] += count }
        case "Placemark":
            add(node, path: path)
        case "NetworkLink":
            answer.tallies["links", default: 0] += 1
            let target = (node.child("Link") ?? node.child("Url"))?.child("href")?.trimmed
            answer.report(FeedIssue("network_link", at: "line \(node.line)", found: target ?? ""))
        case "Folder", "Document":
            let name = Self.plain(node.child("name"), 300) ?? ""
            let inner = path.isEmpty || name.isEmpty ? path + name : HTMLText.bounded("\(path) / \(name)", 300)
            for child in node.children { visit(child, path: inner) }
        case _ where KMLGeometry.names.contains(node.name):
            // A shape without a placemark (a fragment) makes no event. Only its faults are reported.
            position = "line \(node.line)"
            var geometry = KMLGeometry()
            _ = geometry.shape(node)
            note(geometry)
        default:
            break
        }
    }

    /// Elements that change an earlier document (OGC 07-147r2, `kml:Update`).
    static let commands: Set<String> = ["Update", "Delete", "Change", "Create"]

    private mutating func issue(_ reason: String, found: String = "", costsItem: Bool = false) {
        answer.report(FeedIssue(reason, at: position, found: found, costsItem: costsItem))
    }

    /// Reports what was odd in the shapes of an item.
    private mutating func note(_ geometry: KMLGeometry) {
        for fault in geometry.faults { issue("bad_coordinate", found: fault) }
        for tuple in geometry.joined { issue("joined_tuples", found: tuple) }
    }

    /// The plain text of a field, cut to `limit` characters, whether its markup is escaped or stands as elements of the
    /// document; nil when missing or empty.
    private static func plain(_ node: XMLNode?, _ limit: Int = 1000) -> String? {
        let text = HTMLText.bounded(HTMLText.plain(node?.spacedHTML ?? ""), limit)
        return text.isEmpty ? nil : text
    }

    // MARK: Placemarks

    private mutating func add(_ node: XMLNode, path: String) {
        placemarks += 1
        position = "placemark \(placemarks) (line \(node.line))"
        let name = Self.plain(node.child("name")) ?? ""
        let description = node.child("description")?.spacedHTML ?? ""
        let fields = KMLField.all(of: node)
        var geometry = KMLGeometry()
        let shape = geometry.shape(ofPlacemark: node)
        note(geometry)
        if shape == nil, !geometry.isCut, name.isEmpty, fields.isEmpty, HTMLText.plain(description).isEmpty {
            return issue("empty_item", costsItem: true)
        }
        if !geometry.isPresent { issue("no_geometry", found: name) }

        var event = Event(provider: provider, id: "", category: category ?? .other, title: name)
        event.location = shape?.location
        if let shape, !shape.isCredible { issue("bad_coordinate", found: shape.geoJSON) }
        if geometry.isCut {
            issue("too_many_points", found: "more than \(FeedGeometry.mostPoints)")
        } else if let shape, shape.isTooLong {
            issue("too_many_points", found: "\(shape.pointCount)")
        } else {
            event.geometry = shape?.shape
        }
        event.place = Self.plain(node.child("address"))
        event.author = Self.plain(node.child("author")?.child("name")).map { Author(name: $0) }
        var writer = JSONWriter()
        if !path.isEmpty { writer.member("folder", path) }
        writer.member("altitude", geometry.altitude)
        if let report = GVPPlacemark(description), !name.isEmpty {
            fill(&event, from: report, volcano: name, writer: &writer)
        } else {
            fill(
                &event, from: node, fields, description: description, shape: shape, start: geometry.start,
                writer: &writer)
        }
        event.details = writer.finish()
        answer.events.append(event)
    }

    /// Fills the event from a report of the Global Volcanism Program. The report has no date, so the last day of its
    /// week is both the event's time and its last update; the CAP and RSS versions, issued later, are then not
    /// overwritten.
    private mutating func fill(
        _ event: inout Event, from report: GVPPlacemark, volcano: String, writer: inout JSONWriter
    ) {
        let identity = reports.identity(
            volcano: volcano, number: report.number, week: report.week, country: nil,
            position: event.location?.coordinate)
        event.provider = GVPReport.provider
        event.id = identity.id
        event.aliases = identity.aliases
        event.category = .volcano
        event.title = HTMLText.bounded("\(volcano): \(report.heading)", 1000)
        event.time = report.week.end
        event.updated = report.week.end
        event.summary = report.text.map { HTMLText.bounded($0, 64 << 10) }
        event.link = report.link.flatMap { $0.utf8.count <= 2000 ? $0 : nil }
        writer.member("volcano", volcano)
        writer.member("number", report.number)
        writer.member("week", report.week.interval)
        writer.member("activity", report.activity.map { HTMLText.bounded($0, 1000) })
        writer.member("source", report.source.map { HTMLText.bounded($0, 1000) })
    }

    private mutating func fill(
        _ event: inout Event, from node: XMLNode, _ fields: [KMLField], description: String, shape: FeedGeometry?,
        start: String?, writer: inout JSONWriter
    ) {
        let span = node.child("TimeSpan")
        let stamp = node.child("TimeStamp")?.child("when")?.trimmed
        let begin = stamp ?? span?.child("begin")?.trimmed
        if let when = begin ?? start {
            event.time = DateReader.date(when) { issue($0, found: $1) }
        }
        let summary = HTMLText.bounded(HTMLText.plain(description), 64 << 10)
        if !summary.isEmpty { event.summary = summary }
        if event.title.isEmpty { event.title = summary.isEmpty ? "Placemark" : summary.beginning(80) }
        event.link = link(of: node, description: description, fields: fields)
        if let earthquake = fields.earthquake {
            event.category = category ?? .earthquake
            event.magnitude = earthquake.magnitude
            event.depth = earthquake.depth
            for fault in event.removeImpossible() { issue(fault.reason, found: fault.found) }
            event.weight = Event.weight(event.category, magnitude: event.magnitude)
        }

        let given = node.attribute("id").flatMap { $0.isEmpty ? nil : $0 }
        // Ids in databases stay: neither the track's time nor the tags of elements are part of the hash.
        let words = node.child("description")?.text ?? ""
        let hash = FNV64.hex("\(event.title)\n\(shape?.geoJSON ?? "")\n\(begin ?? "")\n\(words)")
        event.id = id(given ?? fields.value("id", "guid", "publicid", "ref"), hash: hash)

        writer.member("end", Self.plain(span?.child("end")))
        writer.member("snippet", Self.plain(node.child("Snippet")))
        writer.member("phone", Self.plain(node.child("phoneNumber")))
        if !fields.isEmpty {
            var data = JSONWriter()
            var seen: Set<Int> = []
            for field in fields.prefix(200) where seen.insert(field.name.byteHash).inserted {
                data.member(HTMLText.bounded(field.name, 100), HTMLText.bounded(field.value, 1000))
            }
            writer.member("data", raw: data.finish())
        }
    }

    /// The id of a placemark: its explicit id, with the content hash appended when an earlier placemark has the same id
    /// and other content; the hash alone without an explicit id.
    private mutating func id(_ given: String?, hash: String) -> String {
        let clean = given.map { HTMLText.cleaned($0) } ?? ""
        guard !clean.isEmpty else { return hash }
        let id = clean.utf8.count <= 1024 ? clean : clean.beginning(200) + "#" + FNV64.hex(clean)
        let key = id.byteHash
        guard let first = hashes[key] else {
            hashes[key] = hash
            return id
        }
        guard first != hash else { return id }
        issue("duplicate_id", found: id)
        return id + "#" + hash
    }

    /// The placemark's own link (`atom:link`), else the first in its description, else the first in its data. Links of
    /// more than 2,000 bytes are skipped.
    private func link(of node: XMLNode, description: String, fields: [KMLField]) -> String? {
        if let own = HTMLText.webURL(node.child("link")?.attribute("href")), own.utf8.count <= 2000 { return own }
        let texts = [description] + fields.map(\.value)
        for text in texts where text.utf8.contains(UInt8(ascii: "<")) {
            for link in HTMLText.links(text) {
                if let link = HTMLText.webURL(link), link.utf8.count <= 2000 { return link }
            }
        }
        return nil
    }
}
