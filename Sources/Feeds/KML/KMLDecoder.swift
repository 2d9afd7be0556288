import Foundation
import Model
import Reading

/// Turns placemarks into events and issues.
///
/// Identity: reports of the Global Volcanism Program have that of `GVPReport`; all others belong to the feed's own
/// provider and are named by the placemark's `id` attribute, else by a field `id`, `guid`, `publicid` or `ref` (GeoNet)
/// of its extended data, else by a hash of name, shape and time stamp. A placemark without a shape is kept.
struct KMLDecoder {
    /// What came of the placemarks so far.
    private(set) var answer = FeedAnswer()
    /// Outermost items seen, folders included.
    private(set) var items = 0
    private let provider: String
    private let category: Model.Category
    private var placemarks = 0
    private var position = ""

    init(provider: String, category: Model.Category) {
        self.provider = provider
        self.category = category
    }

    /// Whether the root is itself a feature or a shape, as in fragments without a `<kml>` around them.
    static func isBareRoot(_ root: XMLNode) -> Bool {
        ["Document", "Folder", "Placemark", "NetworkLink"].contains(root.name) || KMLGeometry.names.contains(root.name)
    }

    /// Passes on what the XML reader had to mend; the first 20 will do.
    mutating func note(_ problems: [XMLProblem]) {
        for problem in problems.prefix(20) {
            answer.issues.append(FeedIssue("bad_xml", at: "line \(problem.line)", found: problem.message))
        }
    }

    /// Takes a feature with all it contains.
    /// - Parameter path: names of the folders it lies in, outermost first.
    mutating func visit(_ node: XMLNode, path: [String]) {
        items += 1
        switch node.name {
        case "Placemark":
            add(node, path: path)
        case "NetworkLink":
            answer.tallies["links", default: 0] += 1
            let target = (node.child("Link") ?? node.child("Url"))?.child("href")?.trimmed
            answer.issues.append(FeedIssue("network_link", at: "line \(node.line)", found: target ?? ""))
        case "Folder", "Document":
            let name = node.child("name").map { HTMLText.cleaned($0.text) } ?? ""
            let inner = name.isEmpty ? path : path + [name]
            for child in node.children { visit(child, path: inner) }
        case _ where KMLGeometry.names.contains(node.name):
            // A shape without a placemark (a fragment) has nothing to tell; only its faults are worth a word.
            position = "line \(node.line)"
            var geometry = KMLGeometry()
            _ = geometry.shape(node)
            for fault in geometry.faults { issue("bad_coordinate", found: fault) }
        default:
            break
        }
    }

    private mutating func issue(_ reason: String, found: String = "") {
        answer.issues.append(FeedIssue(reason, at: position, found: found))
    }

    // MARK: Placemarks

    private mutating func add(_ node: XMLNode, path: [String]) {
        placemarks += 1
        position = "placemark \(placemarks) (line \(node.line))"
        let name = node.child("name").map { HTMLText.cleaned($0.text) } ?? ""
        let description = node.child("description")?.text ?? ""
        var geometry = KMLGeometry()
        let shape = geometry.shape(ofPlacemark: node)
        for fault in geometry.faults { issue("bad_coordinate", found: fault) }
        if !geometry.isPresent { issue("no_geometry", found: name) }

        var event = Event(provider: provider, id: "", category: category, title: name)
        event.location = shape?.location
        event.geometry = shape?.shape
        event.place = node.child("address").map { HTMLText.cleaned($0.text) }.flatMap { $0.isEmpty ? nil : $0 }
        event.author = node.child("author")?.child("name")?.trimmed.map { Author(name: HTMLText.cleaned($0)) }
        var writer = JSONWriter()
        if !path.isEmpty { writer.member("folder", path.joined(separator: " / ")) }
        writer.member("altitude", geometry.altitude)
        if let report = GVPPlacemark(description), !name.isEmpty {
            fill(&event, from: report, volcano: name, writer: &writer)
        } else {
            fill(&event, from: node, description: description, shape: shape, writer: &writer)
        }
        event.details = writer.finish()
        answer.events.append(event)
    }

    /// A report of the Global Volcanism Program. It has no date of its own but the week: its last day stands for both
    /// the event and its last change, so that the CAP and RSS versions, issued later, are not overwritten by this one.
    private func fill(_ event: inout Event, from report: GVPPlacemark, volcano: String, writer: inout JSONWriter) {
        let identity = GVPReport.identity(volcano: volcano, number: report.number, week: report.week)
        event.provider = GVPReport.provider
        event.id = identity.id
        event.aliases = identity.aliases
        event.category = .volcano
        event.title = "\(volcano): \(report.heading)"
        event.time = report.week.end
        event.updated = report.week.end
        event.summary = report.text
        event.link = report.link
        writer.member("volcano", volcano)
        writer.member("number", report.number)
        writer.member("week", report.week.interval)
        writer.member("activity", report.activity)
        writer.member("source", report.source)
    }

    private mutating func fill(
        _ event: inout Event, from node: XMLNode, description: String, shape: FeedGeometry?, writer: inout JSONWriter
    ) {
        let fields = KMLField.all(of: node)
        let span = node.child("TimeSpan")
        let stamp = node.child("TimeStamp")?.child("when")?.trimmed
        let begin = stamp ?? span?.child("begin")?.trimmed
        if let begin {
            event.time = DateReader.any(begin)
            if event.time == nil { issue("bad_date", found: begin) }
        }
        let summary = HTMLText.plain(description)
        if !summary.isEmpty { event.summary = summary }
        if event.title.isEmpty { event.title = summary.isEmpty ? "Placemark" : String(summary.prefix(80)) }
        event.link = link(of: node, description: description, fields: fields)
        if let earthquake = fields.earthquake {
            event.magnitude = earthquake.magnitude
            event.depth = earthquake.depth
            event.weight = Event.weight(event.category, magnitude: earthquake.magnitude)
        }

        let given = node.attribute("id").flatMap { $0.isEmpty ? nil : $0 }
        let hash = FNV64.hex("\(event.title)\n\(shape?.geoJSON ?? "")\n\(begin ?? "")")
        event.id = given ?? fields.value("id", "guid", "publicid", "ref") ?? hash

        writer.member("end", span?.child("end")?.trimmed)
        writer.member("snippet", node.child("Snippet")?.trimmed.map { HTMLText.plain($0) })
        writer.member("phone", node.child("phoneNumber")?.trimmed)
        if !fields.isEmpty {
            var data = JSONWriter()
            var seen: Set<String> = []
            for field in fields where seen.insert(field.name).inserted { data.member(field.name, field.value) }
            writer.member("data", raw: data.finish())
        }
    }

    /// The placemark's own link (`atom:link`), else the first in its description, else the first in its data.
    private func link(of node: XMLNode, description: String, fields: [KMLField]) -> String? {
        if let own = HTMLText.webURL(node.child("link")?.attribute("href")) { return own }
        let texts = [description] + fields.map(\.value)
        for text in texts where text.utf8.contains(UInt8(ascii: "<")) {
            for link in HTMLText.links(text) {
                if let link = HTMLText.webURL(link) { return link }
            }
        }
        return nil
    }
}
