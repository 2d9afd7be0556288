import Reading

/// One `<info>` of an alert as it stands in the document (CAP 1.2 §3.2.2).
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

    init(_ node: XMLNode) {
        for child in node.children {
            switch child.name {
            case "language": language = child.trimmed
            case "category": categories += child.trimmed.map { [$0] } ?? []
            case "event": event = child.trimmed
            case "responseType": responseTypes += child.trimmed.map { [$0] } ?? []
            case "urgency": urgency = child.trimmed
            case "severity": severity = child.trimmed
            case "certainty": certainty = child.trimmed
            case "eventCode": eventCodes.append(CAPValue(child))
            case "effective": effective = child.trimmed
            case "onset": onset = child.trimmed
            case "expires": expires = child.trimmed
            case "senderName": senderName = child.trimmed
            case "headline": headline = child.trimmed
            case "description": description = child.trimmed
            case "instruction": instruction = child.trimmed
            case "web": web = child.trimmed
            case "contact": contact = child.trimmed
            case "parameter": parameters.append(CAPValue(child))
            case "resource": resources.append(CAPResource(child))
            case "area": areas.append(CAPArea(child))
            default: break
            }
        }
    }

    /// The language tag in lower case; `en-us` when none is declared (CAP 1.2 §3.2.2).
    var languageTag: String { language?.lowercased() ?? "en-us" }

    /// The volcano the Global Volcanism Program reports on; nil in all other feeds.
    var volcano: String? { code("Volcano Name") }

    /// The value of an event code; nil when it is missing or empty.
    func code(_ name: String) -> String? {
        eventCodes.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    // MARK: Languages

    /// Infos that tell of one place in several languages; English first in each group, else the document's order.
    ///
    /// Two infos are translations of each other when their languages differ while shapes, geocodes and event codes are
    /// the same. Two with the same language stay two events, whatever else they share.
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

    /// What translations of an info have in common: everything that is not text.
    private var placeSignature: String {
        var parts: [String] = []
        for area in areas { parts += area.polygons + area.circles + area.geocodes.map(\.text) }
        if parts.isEmpty { parts.append("\(areas.count) areas") }
        if eventCodes.isEmpty {
            parts += categories + [urgency, severity, certainty].compactMap { $0 }
        } else {
            parts += eventCodes.map(\.text)
        }
        return parts.joined(separator: "|")
    }
}

/// A name with a value: event code, parameter or geocode. CAP 1.0 writes `name=value`, later versions two elements.
struct CAPValue {
    var name: String
    var value: String

    init(_ node: XMLNode) {
        if let name = node.child("valueName") {
            self.name = name.trimmed ?? ""
            value = node.child("value")?.trimmed ?? ""
        } else {
            let parts = (node.trimmed ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            name = parts.first.map { String($0) } ?? ""
            value = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    var text: String { name + "=" + value }
}

/// A `<resource>` (CAP 1.2 §3.2.3) without its embedded content (`derefUri`), which can be half a megabyte of base64.
struct CAPResource {
    var description: String?
    var mimeType: String?
    var size: String?
    var uri: String?

    init(_ node: XMLNode) {
        for child in node.children {
            switch child.name {
            case "resourceDesc": description = child.trimmed
            case "mimeType": mimeType = child.trimmed
            case "size": size = child.trimmed
            case "uri": uri = child.trimmed
            default: break
            }
        }
    }
}
