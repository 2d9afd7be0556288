import Foundation
import Model

/// Earthquakes with all their revisions, and the summary feeds that list them.
///
/// Each quake is a list of versions, so a feed can be rendered as of any time.
final class QuakeWorld {
    /// The state of an earthquake from a time on; without `isListed` no feed lists it.
    struct Version {
        var from: Date
        var names: [String]
        var magnitude: Double
        var isListed = true
        var isDeleted = false
        var title = ""
        var feature = ""
        var updated: Date
    }

    struct Quake {
        let number: Int
        let time: Date
        var versions: [Version]

        func version(at time: Date) -> Version? {
            guard let version = versions.last(where: { $0.from <= time }), version.isListed else { return nil }
            return version
        }
    }

    private(set) var quakes: [Quake] = []
    private static let hour = 3600.0

    /// - Parameter end: No version begins after it.
    init(seed: UInt64, from start: Date, to end: Date) {
        var chance = Chance(seed: seed, purpose: "quakes")
        var time = start.addingTimeInterval(-30 * 86_400)
        var number = 0
        while time < end.addingTimeInterval(-Self.hour) {
            // Quakes long before the start only fill the feeds' windows, so fewer suffice.
            let gap = time < start.addingTimeInterval(-8 * 86_400) ? 4.0...12 : 0.2...0.9
            time = Date(milliseconds: time.addingTimeInterval(chance.within(gap) * Self.hour).milliseconds)
            add(number, at: time, &chance)
            number += 1
        }
        for index in quakes.indices { finish(index, end: end) }
    }

    private func add(_ number: Int, at time: Date, _ chance: inout Chance) {
        func later(_ date: Date, _ hours: ClosedRange<Double>) -> Date {
            Date(milliseconds: date.addingTimeInterval(chance.within(hours) * Self.hour).milliseconds)
        }
        let isStrong = chance.happens(0.2)
        let magnitude = isStrong ? 4.5 + Double(chance.below(20)) / 10 : 1 + Double(chance.below(35)) / 10
        var now = later(time, 0.05...0.4)
        var version = Version(from: now, names: ["us\(number)"], magnitude: magnitude, updated: now)
        var quake = Quake(number: number, time: time, versions: [version])
        func push(_ from: Date) {
            version.from = from
            version.updated = from
            quake.versions.append(version)
        }
        for _ in 0..<chance.below(4) {
            now = later(now, 0.3...8)
            version.magnitude = ((version.magnitude + Double(chance.below(5) - 2) / 10) * 10).rounded() / 10
            push(now)
        }
        let fate = chance.below(100)
        switch fate {
        case 0..<10:
            // Another network's id becomes the preferred one; the old one stays among the names.
            now = later(now, 0.3...6)
            version.names.insert("ci\(number)", at: 0)
            push(now)
        case 10..<16:
            now = later(now, 0.3...4)
            version.isListed = false
            push(now)
            now = later(now, 1...8)
            version.isListed = true
            push(now)
        case 16..<20:
            now = later(now, 0.3...6)
            version.isListed = false
            push(now)
        case 20..<24:
            now = later(now, 0.3...6)
            version.isDeleted = true
            push(now)
            now = later(now, 6...9)
            version.isListed = false
            push(now)
        case 24..<30 where number > 0:
            // The quake before turns out to be the same; sometimes they are separated again.
            now = max(later(now, 0.5...5), (quakes[number - 1].versions.last?.from ?? now).addingTimeInterval(60))
            revise(number - 1, at: now) { $0 += version.names }
            version.isListed = false
            push(now)
            if fate < 27 {
                now = later(now, 2...6)
                revise(number - 1, at: now) { $0.removeAll { version.names.contains($0) } }
                version.isListed = true
                push(now)
            }
        default: break
        }
        quakes.append(quake)
    }

    /// Gives a listed quake other names, if it is not deleted: those of a quake that is merged into it, or without those
    /// of one that is split off.
    private func revise(_ index: Int, at time: Date, _ change: (inout [String]) -> Void) {
        guard var version = quakes[index].versions.last, version.isListed, !version.isDeleted else { return }
        change(&version.names)
        version.from = time
        version.updated = time
        quakes[index].versions.append(version)
    }

    /// Drops versions after the end, numbers the others and renders their features.
    private func finish(_ index: Int, end: Date) {
        quakes[index].versions.removeAll { $0.from > end }
        if quakes[index].versions.isEmpty {
            quakes[index].versions = [
                Version(from: .distantFuture, names: ["us\(index)"], magnitude: 1, isListed: false, updated: end)
            ]
        }
        let quake = quakes[index]
        for place in quake.versions.indices {
            var version = quake.versions[place]
            version.title = "M \(version.magnitude) - \(index) km N of Somewhere, Chile (v\(place + 1))"
            version.feature = """
                {"type":"Feature","properties":{"mag":\(version.magnitude),"place":"\(index) km N of Somewhere, Chile",\
                "time":\(quake.time.milliseconds),"updated":\(version.updated.milliseconds),"tz":null,\
                "status":"\(version.isDeleted ? "deleted" : "reviewed")","net":"us",\
                "ids":",\(version.names.joined(separator: ",")),","type":"earthquake","title":"\(version.title)"},\
                "geometry":{"type":"Point","coordinates":[\(-70 - Double(index % 90) / 10),\
                \(-20 - Double(index % 40) / 10),12.5]},"id":"\(version.names.first ?? "")"}
                """
            quakes[index].versions[place] = version
        }
    }

    // MARK: - Feeds

    /// The faults of a feed.
    struct Oddity {
        /// It has a feature without an id.
        var hasBadItem = false
        /// Half of the features are missing, unnoticed by the feed.
        var isHollow = false
        /// The count of features is wrong.
        var isMiscounted = false
    }

    /// A summary feed generated at a time; nil: an unknown period.
    func document(_ period: String, generated: Date, _ oddity: Oddity = Oddity()) -> WorldDocument? {
        let parts = period.split(separator: "_")
        let lengths: [String: Double] = ["hour": 3600.0, "day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400]
        guard parts.count == 2, let length = lengths[String(parts[1])] else { return nil }
        let threshold = parts[0] == "all" ? -10 : Double(parts[0]) ?? 10
        let oldest = generated.addingTimeInterval(-length)
        var expectedEvents: [ExpectedEvent] = []
        var features: [String] = []
        var present: Set<String> = []
        for quake in quakes.reversed() where quake.time <= generated {
            if quake.time < oldest { break }
            guard let version = quake.version(at: generated), version.magnitude >= threshold,
                !(oddity.isHollow && quake.number % 2 == 0)
            else { continue }
            features.append(version.feature)
            present.formUnion(version.names)
            expectedEvents.append(
                ExpectedEvent(
                    "usgs", version.names, purpose: version.isDeleted ? .deletion : .event, time: quake.time,
                    updated: version.updated, magnitude: version.magnitude, title: version.title))
        }
        if oddity.hasBadItem {
            features.append(
                #"{"type":"Feature","properties":{"mag":5.0,"title":"nameless"},"geometry":null,"id":null}"#)
        }
        let count = features.count + (oddity.isMiscounted ? 1 : 0)
        let body = """
            {"type":"FeatureCollection","metadata":{"generated":\(generated.milliseconds),\
            "url":"https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/\(period).geojson","title":"USGS",\
            "status":200,"api":"1.14.1","count":\(count)},"features":[\(features.joined(separator: ",\n"))]}
            """
        var document = WorldDocument(body: Data(body.utf8), expectedEvents: expectedEvents)
        document.snapshot = Snapshot(
            generated: generated, window: oldest.addingTimeInterval(max(600, length / 24))...generated,
            isComplete: !oddity.isMiscounted && !oddity.hasBadItem, present: present,
            ids: Set(expectedEvents.compactMap(\.names.first)))
        document.badItems = oddity.hasBadItem ? 1 : 0
        document.lastModified = generated
        return document
    }
}
