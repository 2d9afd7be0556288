import Foundation
import Model
import Telling

/// Reads the list `watches`.
struct WatchReader {
    let top: MappingReader
    /// The names of the configured sources, also of those with faults.
    let sources: [String]
    /// The names of the configured targets, also of those with faults.
    let targets: [String]

    private static let most = 200
    private static let ofEvents = [
        "sources", "providers", "categories", "keywords", "minimum_magnitude", "near", "radius", "place", "box",
        "minimum_severity", "minimum_alert", "tsunami", "minimum_confidence", "maximum_age", "updates", "quiet",
        "quiet_magnitude", "title", "body",
    ]

    /// The watches; faults are noted.
    func watches() -> [Watch] {
        var taken: Set<String> = []
        return top.mappings("watches", most: Self.most).compactMap { watch($0, taken: &taken) }
    }

    private func watch(_ keys: MappingReader, taken: inout Set<String>) -> Watch? {
        let isHealth = keys.flag("health") ?? false
        keys.refuseUnknown(
            known: ["name", "health", "deliver"] + (isHealth ? [] : Self.ofEvents),
            of: isHealth ? " beside health: true" : "")
        let name = keys.name(taken: &taken)
        let targets = keys.requiredValues(
            "deliver", accepted: accepted(self.targets), suggest: { NearestWord.to($0, among: self.targets) },
            read: { self.targets.contains($0) ? $0 : nil })
        var watch = Watch(name: name ?? "", filter: filter(keys), targets: targets, isHealth: isHealth)
        let ages = Duration.seconds(60)...Duration.seconds(30 * 86_400)
        watch.maximumAge = keys.duration("maximum_age", in: ages) ?? watch.maximumAge
        watch.significance = significance(keys)
        watch.quiet = quiet(keys)
        watch.title = template("title", keys)
        watch.body = template("body", keys)
        return name.map { _ in watch }
    }

    private func accepted(_ names: [String]) -> String {
        "a configured name: " + (names.isEmpty ? "there are none" : names.prefix(20).joined(separator: ", "))
    }

    // MARK: - Conditions

    private func filter(_ keys: MappingReader) -> WatchFilter {
        var filter = WatchFilter()
        filter.sources =
            keys.values(
                "sources", accepted: accepted(sources), suggest: { NearestWord.to($0, among: sources) },
                read: { sources.contains($0) ? $0 : nil }) ?? []
        filter.providers = keys.texts("providers") ?? []
        filter.categories = categories(keys)
        filter.keywords = SourceReader.keywords(of: keys)
        filter.minimumMagnitude = keys.number("minimum_magnitude", in: -10...15)
        filter.near = circle(keys)
        filter.box = box(keys)
        filter.minimumSeverity = keys.choice("minimum_severity", of: Severity.allCases.map { ($0.word, $0) })
        filter.minimumColour = keys.choice("minimum_alert", of: AlertColour.allCases.map { ($0.word, $0) })
        filter.needsTsunami = keys.flag("tsunami") ?? filter.needsTsunami
        filter.minimumConfidence = keys.number("minimum_confidence", in: 0...1) ?? filter.minimumConfidence
        return filter
    }

    /// Any word may be a category, but not one that is almost a known one: the watch would wait for ever.
    private func categories(_ keys: MappingReader) -> [Model.Category] {
        let known = [Model.Category.earthquake, .volcano, .news, .message, .alert, .other].map(\.rawValue)
        return keys.values(
            "categories", accepted: known.joined(separator: ", "), suggest: { NearestWord.to($0, among: known) },
            read: { word in
                let isKnown = known.contains(word) || NearestWord.to(word, among: known) == nil
                return isKnown ? Model.Category(rawValue: word) : nil
            }) ?? []
    }

    private func circle(_ keys: MappingReader) -> WatchFilter.Circle? {
        for key in ["radius", "place"] where keys.member(key) != nil && keys.member("near") == nil {
            keys.note(key, "found without near", accepted: "\(key) beside near")
        }
        let centre = keys.value(
            "near", accepted: "LATITUDE,LONGITUDE, such as 38.72,-9.14, in quotes within braces",
            read: { node in
                Self.numbers(node.text, 2).flatMap { Coordinate(latitude: $0[0], longitude: $0[1]) }
            })
        let radius = keys.number("radius", in: 0.1...20_000)
        let place = keys.text("place")
        guard let centre, keys.has("radius", accepted: "kilometres, such as 200"), let radius else { return nil }
        return WatchFilter.Circle(centre: centre, kilometres: radius, name: place.map(\.safeToShow))
    }

    private func box(_ keys: MappingReader) -> BoundingBox? {
        keys.value(
            "box", accepted: "WEST,SOUTH,EAST,NORTH in degrees, such as -10,36,-6,42, in quotes within braces",
            read: { node in
                Self.numbers(node.text, 4).flatMap {
                    BoundingBox(west: $0[0], south: $0[1], east: $0[2], north: $0[3])
                }
            })
    }

    private static func numbers(_ text: String?, _ count: Int) -> [Double]? {
        let parts = text?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        let numbers = parts.compactMap { part in Quantity.number(String(part.drop { $0 == " " })) }
        return numbers.count == count && parts.count == count ? numbers : nil
    }

    // MARK: - When and how it is told

    /// Which changes are told; nil: none.
    private func significance(_ keys: MappingReader) -> Significance? {
        var significance = Significance()
        keys.accepts("updates", "none, or magnitude and distance")
        if keys.member("updates")?.value.text == "none" { return nil }
        let section = keys.mapping("updates")
        section?.refuseUnknown(known: ["magnitude", "distance"])
        significance.magnitude = section?.number("magnitude", in: 0.1...10) ?? significance.magnitude
        significance.kilometres = section?.number("distance", in: 1...20_000) ?? significance.kilometres
        return significance
    }

    private func quiet(_ keys: MappingReader) -> QuietHours? {
        let magnitude = keys.number("quiet_magnitude", in: -10...15)
        if magnitude != nil, keys.member("quiet") == nil {
            keys.note("quiet_magnitude", "found without quiet", accepted: "quiet, too")
        }
        return keys.value(
            "quiet", accepted: "two times of the day and an IANA zone, such as 22:00-07:00 Europe/Lisbon",
            read: { node in
                let parts = node.text?.split(separator: " ") ?? []
                let times = parts.first?.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes) ?? []
                guard parts.count == 2, times.count == 2, let from = times[0], let to = times[1] else { return nil }
                return QuietHours(from: from, to: to, zone: String(parts[1]), magnitude: magnitude)
            })
    }

    /// The minutes of `HH:MM`.
    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [2, 2], parts.joined().allSatisfy({ (0x30...0x39).contains($0) }),
            let hours = Int(Substring(parts[0])), let minutes = Int(Substring(parts[1])), hours < 24, minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }

    private func template(_ key: String, _ keys: MappingReader) -> Template? {
        let names = Placeholder.allCases.map(\.rawValue)
        keys.accepts(key, "a text with placeholders: " + names.map { "{\($0)}" }.joined(separator: ", "))
        guard let text = keys.text(key) else { return nil }
        do throws(Template.Fault) {
            return try Template(text)
        } catch {
            let word = error.found.filter { $0 != "{" && $0 != "}" }
            keys.note(
                key, "found \(shown(error.found)), which is no placeholder", accepted: names.joined(separator: ", "),
                suggestion: NearestWord.to(word, among: names).map { "{\($0)}" })
            return nil
        }
    }
}
