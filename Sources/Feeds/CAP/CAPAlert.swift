import Model
import Reading

/// One `<alert>` as it stands in a document (CAP 1.2 §3.2.1).
///
/// Versions 1.0 to 1.2 share its names, and the namespace is not looked at, for real feeds leave it out. Texts are
/// cleaned and cut here, once, because every event of the alert gets a copy.
struct CAPAlert {
    var identifier: String?
    var sender: String?
    var sent: String?
    var status: String?
    var messageType: String?
    var source: String?
    var scope: String?
    var note: String?
    var incidents: String?
    var references: [CAPReference] = []
    var infos: [CAPInfo] = []

    init(_ node: XMLNode) {
        for child in node.children {
            switch child.name {
            case "identifier": identifier = child.trimmed
            case "sender": sender = child.trimmed
            case "sent": sent = child.trimmed
            case "status": status = child.trimmed
            case "msgType": messageType = CAPDecoder.plain(child.text)
            case "source": source = CAPDecoder.plain(child.text)
            case "scope": scope = CAPDecoder.plain(child.text)
            case "note": note = CAPDecoder.plain(child.text)
            case "incidents": incidents = CAPDecoder.plain(child.text)
            case "references": references += CAPReference.all(in: child.text)
            case "info": infos.append(CAPInfo(child))
            default: break
            }
        }
    }

    /// Who vouches for an alert: its sender in lower case, for some write their own name in several ways; or `gvp` for
    /// the weekly file of the Global Volcanism Program, which both its sender and its name must say.
    static func provider(sender: String, identifier: String) -> String {
        let sender = sender.lowercased()
        return identifier.hasPrefix("GVP-Weekly") && sender == "gvp@si.edu" ? GVPReport.provider : sender
    }

    /// Providers of other kinds of feeds; an alert whose sender has such a name would pass for theirs.
    static let reservedSenders: Set<String> = ["usgs", "gvp", "twitter", "reuters"]

    /// Whether a name can be part of an identity: at most 1,024 bytes without control characters, line separators or
    /// marks that turn the direction of writing.
    static func isSound(_ name: String) -> Bool {
        name.utf8.count <= 1024 && !name.unicodeScalars.contains { $0.hazard?.isUnsafeInNames == true }
    }
}

/// An earlier message that an alert names in `<references>` (CAP 1.2 §3.2.1).
struct CAPReference: Hashable {
    /// Its sender; nil when the reference does not say, which means the sender of the alert that refers.
    var sender: String?
    /// Its identifier.
    var identifier: String

    /// The references of a text: `sender,identifier,sent` divided by white space; CAP 1.0 wrote `identifier/sender`.
    /// What cannot name an alert is left out.
    static func all(in text: String) -> [CAPReference] {
        text.split(whereSeparator: \.isWhitespace).compactMap { one(String($0)) }.filter {
            CAPAlert.isSound($0.identifier) && CAPAlert.isSound($0.sender ?? "")
        }
    }

    private static func one(_ word: String) -> CAPReference? {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false)
        if parts.count >= 2 {
            // Senders and identifiers hold no comma, but what does is cut from both ends.
            let sender = String(parts[0])
            let middle = parts.count == 2 ? parts[1...] : parts[1..<(parts.count - 1)]
            let identifier = middle.joined(separator: ",")
            guard !identifier.isEmpty else { return nil }
            return CAPReference(sender: sender.isEmpty ? nil : sender, identifier: identifier)
        }
        if let slash = word.lastIndex(of: "/"), slash > word.startIndex, word[slash...].contains("@") {
            let sender = word[word.index(after: slash)...]
            return CAPReference(sender: String(sender), identifier: String(word[..<slash]))
        }
        return CAPReference(sender: nil, identifier: word)
    }
}
