import Foundation
import Model
import Reading

/// Earthquakes as QuakeML 1.2 (basic event description). A document is `head`, an `event` for each, `tail`.
///
/// An event has one origin, and one magnitude if it is known. Their ids name the revision, since a revised origin is
/// another one.
enum QuakeML {
    static let head =
        XMLText.declaration + "<q:quakeml xmlns=\"http://quakeml.org/xmlns/bed/1.2\" "
        + "xmlns:q=\"http://quakeml.org/xmlns/quakeml/1.2\">\n<eventParameters publicID=\"smi:local/visiventd\">\n"

    static let tail = "</eventParameters>\n</q:quakeml>\n"

    /// The resource identifier of an event without its public id.
    static let events = "smi:local/event/"

    /// The element `event`; empty if it has no location.
    static func event(_ feature: USGSFeature) -> String {
        let (stored, event) = (feature.stored, feature.stored.event)
        guard let point = event.location?.coordinate else { return "" }
        let origin = "smi:local/origin/\(stored.publicID)/\(stored.revision)"
        let magnitude = "smi:local/magnitude/\(stored.publicID)/\(stored.revision)"
        var text = "<event publicID=\"\(events)\(stored.publicID)\">"
        text += "<preferredOriginID>\(origin)</preferredOriginID>"
        if event.magnitude != nil { text += "<preferredMagnitudeID>\(magnitude)</preferredMagnitudeID>" }
        text += "<type>earthquake</type><description>" + XMLText.element("text", event.place ?? event.title)
        text += "<type>earthquake name</type></description>"
        text += comments(stored).map { "<comment>" + XMLText.element("text", $0) + "</comment>" }.joined()
        text += information(feature)
        text += "<origin publicID=\"\(origin)\">" + quantity("time", feature.time.timestamp)
        text += quantity("longitude", point.longitude.jsonText) + quantity("latitude", point.latitude.jsonText)
        if let depth = event.depth { text += quantity("depth", metres(depth).jsonText) }
        text += quality(feature) + evaluation(stored) + information(feature) + "</origin>"
        if let value = event.magnitude {
            text += "<magnitude publicID=\"\(magnitude)\">" + quantity("mag", value.jsonText)
            text += XMLText.element("type", feature.magnitudeType.map { cut($0, to: 32) })
            text += "<originID>\(origin)</originID>" + evaluation(stored) + information(feature) + "</magnitude>"
        }
        return text + "</event>"
    }

    private static func quantity(_ name: String, _ value: String) -> String {
        "<\(name)><value>\(value)</value></\(name)>"
    }

    /// Kilometres in metres, to the millimetre: 8.1 km are 8100 m, not 8099.999999999999.
    private static func metres(_ kilometres: Double) -> Double { (kilometres * 1e6).rounded() / 1e3 }

    /// What no element of QuakeML says.
    private static func comments(_ stored: StoredEvent) -> [String] {
        var comments: [String] = []
        if let withdrawal = stored.withdrawal {
            comments.append("Withdrawn (\(withdrawal.reason)): \(withdrawal.evidence)")
        }
        if !stored.hasFeedTime { comments.append("The time is that of the first sight") }
        return comments
    }

    private static func quality(_ feature: USGSFeature) -> String {
        var text = ""
        if let stations = feature.number("nst").flatMap({ Int64(exactly: $0) }) {
            text += "<usedStationCount>\(stations)</usedStationCount>"
        }
        let values = [("standardError", "rms"), ("azimuthalGap", "gap"), ("minimumDistance", "dmin")]
        for (name, own) in values { text += XMLText.element(name, feature.number(own)?.jsonText) }
        return text.isEmpty ? "" : "<quality>\(text)</quality>"
    }

    private static func evaluation(_ stored: StoredEvent) -> String {
        var mode: String?
        var status: String?
        switch stored.event.status {
        case "automatic"?: (mode, status) = ("automatic", "preliminary")
        case "manual"?: mode = "manual"
        case "reviewed"?: (mode, status) = ("manual", "reviewed")
        default: break
        }
        if stored.withdrawal != nil { status = "rejected" }
        return XMLText.element("evaluationMode", mode) + XMLText.element("evaluationStatus", status)
    }

    private static func information(_ feature: USGSFeature) -> String {
        "<creationInfo>" + XMLText.element("agencyID", cut(feature.network, to: 64))
            + "<creationTime>\(feature.updated.timestamp)</creationTime>"
            + "<version>\(feature.stored.revision)</version></creationInfo>"
    }

    /// The beginning of a text, whose length the schema bounds.
    private static func cut(_ text: String, to length: Int) -> String {
        String(text.unicodeScalars.prefix(length))
    }
}
