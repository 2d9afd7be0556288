import Model
import Reading

/// An unchecked row of a list, with its values as texts.
struct VolcanoDraft {
    var line: Int
    var name: String?
    var latitude: String?
    var longitude: String?
    var number: String?
    var country: String?
    var picture: String?
    var webcam: String?
    var text: String?
    var details = VolcanoEntry.Details()

    init(line: Int, name: String?, latitude: String?, longitude: String?) {
        self.line = line
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The volcano; nil if the row is unusable. Faults are added to `issues`.
    func entry(_ issues: inout [VolcanoIssue]) -> VolcanoEntry? {
        func refuse(_ reason: String) -> VolcanoEntry? {
            issues.add(reason, line: line)
            return nil
        }
        guard let name, !NameFolding.folded(name).isEmpty else { return refuse("missing_name") }
        guard let latitude, let longitude else { return refuse("missing_coordinate") }
        guard let north = NumberReader.double(latitude), let east = NumberReader.double(longitude) else {
            return refuse("bad_coordinate")
        }
        guard let coordinate = Coordinate(latitude: north, longitude: east) else { return refuse("out_of_range") }
        if coordinate.isNowhere { return refuse("zero_coordinate") }
        var entry = VolcanoEntry(line: line, name: HTMLText.bounded(name, 300), coordinate: coordinate)
        if let number {
            entry.number = NumberReader.double(number).flatMap { Int(exactly: $0) }
                .flatMap { Self.numbers.contains($0) ? $0 : nil }
            if entry.number == nil { issues.add("bad_number", line: line, costsRow: false) }
        }
        entry.country = country
        entry.picture = link(picture, &issues)
        entry.webcam = link(webcam, &issues)
        entry.text = text
        entry.details = details
        return entry
    }

    /// Since 2013 the Global Volcanism Program's numbers have six digits.
    private static let numbers = 100_000...999_999

    private func link(_ text: String?, _ issues: inout [VolcanoIssue]) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let link = HTMLText.webURL(text).flatMap { $0.utf8.count <= 2000 ? $0 : nil }
        if link == nil { issues.add("bad_link", line: line, costsRow: false) }
        return link
    }
}

extension VolcanoDraft {
    /// Reads a row of the list of the app Visivent: name, `longitude,latitude`, picture, webcam, text. In a list
    /// without pictures the third of three columns is the text.
    init(line: Int, pictures fields: [String]) {
        func text(_ index: Int, _ limit: Int = 2000) -> String? {
            guard index < fields.count else { return nil }
            let value = HTMLText.bounded(HTMLText.plain(fields[index]), limit)
            return value.isEmpty ? nil : value
        }
        let position = fields.count > 1 ? Self.position(fields[1]) : []
        self.init(
            line: line, name: text(0), latitude: position.count == 2 ? position[1] : nil, longitude: position.first)
        if fields.count == 3, HTMLText.webURL(fields[2]) == nil {
            self.text = text(2, 64 << 10)
        } else {
            picture = text(2)
            webcam = text(3)
            self.text = text(4, 64 << 10)
        }
    }

    /// The parts of `longitude,latitude` and further ones, without spaces; empty for an empty text.
    static func position(_ text: String) -> [String] {
        let clean = HTMLText.cleaned(text)
        guard !clean.isEmpty else { return [] }
        return clean.split(separator: ",", omittingEmptySubsequences: false).map { HTMLText.cleaned(String($0)) }
    }
}
