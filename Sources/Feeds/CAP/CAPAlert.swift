import Reading

/// One `<alert>` as it stands in a document (CAP 1.2 §3.2.1).
///
/// Versions 1.0 to 1.2 share its names, and the namespace is not looked at, for real feeds leave it out.
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
            case "msgType": messageType = child.trimmed
            case "source": source = child.trimmed
            case "scope": scope = child.trimmed
            case "note": note = child.trimmed
            case "incidents": incidents = child.trimmed
            case "references": references += CAPReference.all(in: child.text)
            case "info": infos.append(CAPInfo(child))
            default: break
            }
        }
    }

    /// Who vouches for the alert: its sender, or `gvp` for the weekly file of the Global Volcanism Program.
    var provider: String? {
        if infos.contains(where: { $0.volcano != nil }) { return GVPReport.provider }
        guard let sender, let identifier else { return sender }
        return Self.provider(sender: sender, identifier: identifier)
    }

    /// The provider of an alert of which only the name is known.
    static func provider(sender: String, identifier: String) -> String {
        identifier.hasPrefix("GVP-Weekly") ? GVPReport.provider : sender
    }
}

/// An earlier message that an alert names in `<references>` (CAP 1.2 §3.2.1).
struct CAPReference: Hashable {
    /// Its sender; nil when the reference does not say, which means the sender of the alert that refers.
    var sender: String?
    /// Its identifier.
    var identifier: String

    /// The references of a text: `sender,identifier,sent` divided by white space; CAP 1.0 wrote `identifier/sender`.
    static func all(in text: String) -> [CAPReference] {
        text.split(whereSeparator: \.isWhitespace).compactMap { word in
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
            return CAPReference(sender: nil, identifier: String(word))
        }
    }
}
