import Model
import Reading

/// One `<alert>` of a document (CAP 1.2 §3.2.1).
///
/// Versions 1.0 to 1.2 share their element names. The namespace is ignored, because real feeds leave it out. Texts are
/// cleaned and cut here, once, since every event of the alert gets a copy.
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

    /// The provider of an alert: its sender in lower case, since some senders vary the case of their name. It is `gvp`
    /// for the weekly file of the Global Volcanism Program, recognized by both sender and identifier.
    static func provider(sender: String, identifier: String) -> String {
        let sender = sender.lowercased()
        return identifier.hasPrefix("GVP-Weekly") && sender == "gvp@si.edu" ? GVPReport.provider : sender
    }

    /// Whether a name may be part of an identity: at most 1,024 bytes, no control characters, no line separators and no
    /// bidirectional controls.
    static func isSound(_ name: String) -> Bool {
        name.utf8.count <= 1024 && !name.unicodeScalars.contains { $0.hazard?.isUnsafeInNames == true }
    }
}

/// One earlier message in the `<references>` of an alert (CAP 1.2 §3.2.1).
struct CAPReference: Hashable {
    /// The sender; nil means the sender of the referring alert.
    var sender: String?
    var identifier: String

    /// The references of a text: `sender,identifier,sent`, separated by white space; CAP 1.0 wrote `identifier/sender`.
    /// Unusable ones are left out.
    static func all(in text: String) -> [CAPReference] {
        text.split(whereSeparator: \.isWhitespace).compactMap { one(String($0)) }.filter {
            CAPAlert.isSound($0.identifier) && CAPAlert.isSound($0.sender ?? "")
        }
    }

    private static func one(_ word: String) -> CAPReference? {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false)
        if parts.count >= 2 {
            // Senders and identifiers have no commas by the standard. The first and the last comma count.
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
