import Reading

/// One `<info>` of an alert (CAP 1.2 §3.2.2), its texts cleaned and cut.
struct CAPInfo {
    var language: String?
    var categories: [String] = []
    var event: String?
    var responseTypes: [String] = []
    var urgency: String?
    var severity: String?
    var certainty: String?
    var eventCodes: [CAPValue] = []
    var effective: String?
    var onset: String?
    var expires: String?
    var senderName: String?
    var headline: String?
    var description: String?
    var instruction: String?
    var web: String?
    var contact: String?
    var parameters: [CAPValue] = []
    var resources: [CAPResource] = []
    var areas: [CAPArea] = []

    /// - Parameter points: The number of points of the alert so far.
    init(_ node: XMLNode, points: inout Int) {
        for child in node.children {
            switch child.name {
            case "language": language = Self.language(child.trimmed)
            case "category": Self.add(CAPDecoder.plain(child), to: &categories)
            case "event": event = CAPDecoder.plain(child)
            case "responseType": Self.add(CAPDecoder.plain(child), to: &responseTypes)
            case "urgency": urgency = CAPDecoder.plain(child)
            case "severity": severity = CAPDecoder.plain(child)
            case "certainty": certainty = CAPDecoder.plain(child)
            case "eventCode": Self.add(CAPValue(child), to: &eventCodes)
            case "effective": effective = child.trimmed
            case "onset": onset = child.trimmed
            case "expires": expires = child.trimmed
            case "senderName": senderName = CAPDecoder.plain(child)
            case "headline": headline = CAPDecoder.plain(child)
            case "description": description = CAPDecoder.plain(child, 64 << 10)
            case "instruction": instruction = CAPDecoder.plain(child)
            // A truncated URL would be useless.
            case "web": web = HTMLText.webURL(child.trimmed).flatMap { $0.utf8.count <= 2000 ? $0 : nil }
            case "contact": contact = CAPDecoder.plain(child)
            case "parameter": Self.add(CAPValue(child), to: &parameters)
            case "resource": Self.add(CAPResource(child), to: &resources)
            case "area": areas.append(CAPArea(child, points: &points))
            default: break
            }
        }
    }

    /// The most entries of a list, such as parameters, codes and resources. Further ones are dropped.
    static let maximumEntries = 200

    private static func add<Entry>(_ entry: Entry?, to list: inout [Entry]) {
        if let entry, list.count < maximumEntries { list.append(entry) }
    }

    /// A language tag of at most 35 letters, digits and hyphens (RFC 5646 §4.4.1); nil for any other text.
    private static func language(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 35 else { return nil }
        let isTag = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        }
        return isTag ? text : nil
    }

    /// The language tag in lower case; `en-us` when none is declared (CAP 1.2 §3.2.2).
    var languageTag: String { language?.lowercased() ?? "en-us" }

    /// The volcano of a Global Volcanism Program report; nil in other feeds.
    var volcano: String? { code("Volcano Name") }

    /// The value of an event code; nil when it is missing or empty.
    func code(_ name: String) -> String? {
        eventCodes.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    // MARK: Languages

    /// Groups the infos of one place in several languages. English comes first in each group, the others keep their
    /// order.
    ///
    /// Two infos are translations when their languages differ and their shapes, geocodes and event codes are the same.
    /// Two infos of the same language stay two events.
    static func grouped(_ infos: [CAPInfo]) -> [[CAPInfo]] {
        var groups: [[CAPInfo]] = []
        var groupsOfPlace: [String: [Int]] = [:]
        var seen: [String: Int] = [:]
        for info in infos {
            let place = info.placeSignature
            // The nth info of a place in one language belongs to the nth event of that place.
            let ordinal = seen[info.languageTag + " " + place, default: 0]
            seen[info.languageTag + " " + place] = ordinal + 1
            if let known = groupsOfPlace[place], ordinal < known.count {
                groups[known[ordinal]].append(info)
            } else {
                groupsOfPlace[place, default: []].append(groups.count)
                groups.append([info])
            }
        }
        return groups.map { group in
            guard let english = group.firstIndex(where: { $0.languageTag.hasPrefix("en") }), english > 0 else {
                return group
            }
            var group = group
            let preferred = group.remove(at: english)
            group.insert(preferred, at: 0)
            return group
        }
    }

    /// The fields that translations of an info share: everything but texts.
    private var placeSignature: String {
        var parts: [String] = []
        for area in areas {
            parts += area.polygons.map { "\($0.hash)" }
            parts += area.circles + area.geocodes.map(\.text)
        }
        if parts.isEmpty { parts.append("\(areas.count) areas") }
        if eventCodes.isEmpty {
            parts += categories + [urgency, severity, certainty].compactMap { $0 }
        } else {
            parts += eventCodes.map(\.text)
        }
        return parts.joined(separator: "|")
    }
}

/// A name with a value: event code, parameter or geocode. CAP 1.0 writes `name=value`, later versions use two elements.
struct CAPValue {
    var name: String
    var value: String

    init(_ node: XMLNode) {
        if let name = node.child("valueName") {
            self.name = CAPDecoder.plain(name) ?? ""
            value = CAPDecoder.plain(node.child("value")) ?? ""
        } else {
            let text = CAPDecoder.plain(node) ?? ""
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            name = parts.first.map { String($0) } ?? ""
            value = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    var text: String { name + "=" + value }
}

/// One `<resource>` (CAP 1.2 §3.2.3). Its embedded content (`derefUri`) is dropped; it can be half a megabyte of
/// base64.
struct CAPResource {
    var description: String?
    var mimeType: String?
    var size: String?
    var uri: String?

    init(_ node: XMLNode) {
        for child in node.children {
            switch child.name {
            case "resourceDesc": description = CAPDecoder.plain(child)
            case "mimeType": mimeType = Self.mimeType(child.trimmed)
            case "size": size = child.trimmed
            // A data: URI would be embedded content, too.
            case "uri": uri = HTMLText.webURL(child.trimmed).flatMap { $0.utf8.count <= 2000 ? $0 : nil }
            default: break
            }
        }
    }

    /// A media type of at most 127 visible ASCII characters or spaces; nil for any other text.
    private static func mimeType(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 127, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return text
    }
}
