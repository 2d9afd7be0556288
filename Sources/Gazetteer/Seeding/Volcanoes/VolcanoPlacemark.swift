import Reading

extension VolcanoDraft {
    /// Reads a placemark of a KML document; nil if its description has no link to the Global Volcanism Program.
    ///
    /// The volcano's number stands only in a link: `volcano.cfm?vn=342090`. The report of the programme's weekly file
    /// does not describe the volcano and is left out.
    init?(_ placemark: XMLNode) {
        let description = placemark.child("description")?.text ?? ""
        let links = HTMLText.links(description).compactMap { HTMLText.webURL($0) }
        let own = links.first { Self.number(in: $0) != nil }
        guard own != nil || links.contains(where: { $0.contains("volcano.si.edu/") }) else { return nil }

        let point = placemark.child("Point") ?? placemark.descendants("Point").first
        let parts = point?.child("coordinates").map { Self.position($0.text) } ?? []
        let name = placemark.child("name").map { HTMLText.plain($0.text) }
        self.init(
            line: placemark.line, name: name, latitude: parts.count > 1 ? parts[1] : nil, longitude: parts.first)
        number = own.flatMap { Self.number(in: $0) }
        picture = HTMLText.images(description).compactMap { HTMLText.webURL($0) }
            .first { $0.lowercased().contains("/photos/") }
        webcam = links.first { $0.lowercased().contains("webcam") }
        if !description.contains("Report for ") {
            let text = HTMLText.bounded(HTMLText.plain(description), 64 << 10)
            self.text = text.isEmpty ? nil : text
        }
    }

    /// The digits after `vn=`.
    private static func number(in link: String) -> String? {
        guard let start = link.range(of: "vn=")?.upperBound else { return nil }
        let digits = link[start...].prefix { $0.isASCII && $0.isNumber }
        return digits.isEmpty ? nil : String(digits)
    }
}
