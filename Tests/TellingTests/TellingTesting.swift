import Foundation
import Model

@testable import Telling

/// 2026-03-01T12:00:00Z.
let noon = Date(timeIntervalSince1970: 1_772_366_400)

/// An earthquake 34 km north-west of Lisbon, three minutes before noon.
func quake(
    _ magnitude: Double? = 5.4, latitude: Double = 38.935, longitude: Double = -9.418, minutes: Double = -3,
    change: Int64 = 1, details: String = "{}"
) -> StoredEvent {
    let event = Event(
        provider: "usgs", id: "us1", time: noon + minutes * 60, category: .earthquake, title: "M 5.4 - near Lisboa",
        magnitude: magnitude, depth: 11, status: "automatic", place: "34 km NW of Lisboa, Portugal",
        location: Coordinate(latitude: latitude, longitude: longitude).map { Location($0) }, details: details)
    return StoredEvent(
        publicID: "7r3k0mz2v9q4w8xd", event: event, firstSeen: noon, lastChanged: noon, changeSequence: change,
        sources: ["quakes"])
}

extension StoredEvent {
    func withdrawn(_ reason: String = "deleted") -> StoredEvent {
        var event = self
        event.withdrawal = Withdrawal(reason: reason, at: noon, evidence: "")
        return event
    }

    func located(_ location: Location?) -> StoredEvent {
        var event = self
        event.event.location = location
        return event
    }
}

/// A watch of magnitude 5 within 200 km of Lisbon.
func lisbon() -> Watch {
    var filter = WatchFilter()
    filter.minimumMagnitude = 5
    filter.near = Coordinate(latitude: 38.72, longitude: -9.14).map {
        .init(centre: $0, kilometres: 200, name: "Lisboa")
    }
    return Watch(name: "lisbon", filter: filter, targets: ["desk"])
}

let desk = Target(name: "desk", kind: .ntfy, host: "ntfy.example.org")

/// A row that is judged change by change, as a target sees it that takes every message at once.
struct Judged {
    var row: ToldRow?
    var watches = [lisbon()]
    var now = TellingTime(wall: noon)
    /// The kinds of the messages so far.
    var messages: [MessageKind] = []
    private var change: Int64 = 0

    init() {}

    mutating func see(
        _ event: StoredEvent, _ kind: EventChange.Kind = .revised, silence: Passed? = nil, since: [String: Int64] = [:]
    ) {
        var event = event
        change += 1
        event.changeSequence = change
        row = ToldRow.judge(
            row, Sight(event, kind, silence: silence, since: since), watches: watches, at: now)
    }

    /// Sends what is due.
    mutating func deliver() {
        guard var told = row, let wish = told.wish, wish.due <= now.wall else { return }
        messages.append(wish.kind)
        (told.told, told.isEnded, told.wish) = (told.now, wish.kind == .ended, nil)
        (told.messages, told.last) = (told.messages + 1, now.wall)
        row = told
    }

    mutating func pass(minutes: Double) {
        now.wall += minutes * 60
        deliver()
    }
}
