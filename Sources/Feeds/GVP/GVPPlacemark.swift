import Reading

/// The report in the HTML description of a placemark in the Global Volcanism Program's weekly KML file.
///
/// ```html
/// <b>Fuego</b> … <b>Report for 28 October-3 November 2015</b> … <b>New Activity / Unrest</b>
/// <p align="justify">the report</p> <p align="justify">Source: …</p> … <a href="…/volcano.cfm?vn=342090">
/// ```
struct GVPPlacemark {
    let week: GVPReport.Week
    /// The week in the file's words: `Report for 28 October-3 November 2015`.
    let heading: String
    /// The volcano's section: `New Activity / Unrest`, `Ongoing Activity`.
    let activity: String?
    /// The report as plain text.
    let text: String?
    /// The paragraph that names the report's sources: `Source: …`.
    let source: String?
    /// The volcano's number in the programme's database, from the link.
    let number: Int?
    /// The http or https URL of the volcano's page.
    let link: String?

    /// Reads a description; nil when it is no report of the programme.
    init?(_ description: String) {
        let html = Array(description.utf8)
        guard Self.find("volcano.si.edu", in: html, from: 0) != nil, Self.find("Report for ", in: html, from: 0) != nil
        else { return nil }
        let headings = Self.contents(of: "b", in: html)
        guard let place = headings.firstIndex(where: { $0.hasPrefix("Report for ") }),
            let week = GVPReport.week(in: headings[place], near: nil)
        else { return nil }
        self.week = week
        heading = headings[place]
        activity = headings[(place + 1)...].first { !$0.isEmpty }

        let paragraphs = Self.contents(of: "p", in: html).filter { !$0.isEmpty }
        let sources = paragraphs.filter { $0.hasPrefix("Source") }
        let report = paragraphs.filter { !$0.hasPrefix("Source") }
        text = report.isEmpty ? nil : report.joined(separator: " ")
        source = sources.first

        let links = HTMLText.links(description).compactMap { HTMLText.webURL($0) }
        let own = links.first { Self.number(in: $0) != nil }
        link = own
        number = own.flatMap { Self.number(in: $0) }
    }

    /// The number after `vn=`.
    private static func number(in link: String) -> Int? {
        let parts = link.split(separator: "vn=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return Int(parts[1].prefix { $0.isASCII && $0.isNumber })
    }

    /// The most elements of a name that are read.
    private static let most = 1000

    /// The plain text of each element of that name, in order, at most 1000. Elements of one name must not nest.
    private static func contents(of tag: String, in html: [UInt8]) -> [String] {
        var found: [String] = []
        var index = 0
        while found.count < most, let start = find("<\(tag)", in: html, from: index) {
            let after = start + 1 + tag.utf8.count
            guard after < html.count else { break }
            // `<b` also begins `<br />`.
            guard html[after] == UInt8(ascii: ">") || html[after] <= 0x20 else {
                index = after
                continue
            }
            guard let open = html[after...].firstIndex(of: UInt8(ascii: ">")) else { break }
            let end = find("</\(tag)>", in: html, from: open) ?? html.count
            found.append(HTMLText.plain(String(decoding: html[(open + 1)..<end], as: UTF8.self)))
            index = end
        }
        return found
    }

    /// The index of the text's next occurrence at or after `start`.
    private static func find(_ text: String, in bytes: [UInt8], from start: Int) -> Int? {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return nil }
        let last = bytes.count - wanted.count
        var index = start
        while index <= last {
            if bytes[index] == first && bytes[index..<(index + wanted.count)].elementsEqual(wanted) { return index }
            index += 1
        }
        return nil
    }
}
