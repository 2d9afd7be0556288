import Foundation
import Model
import Testing

@testable import Store

private let day = 86_400.0

private func report(_ id: String, place: String?, title: String = "Report", summary: String? = nil) -> Event {
    var event = article(id, title: title, summary: summary)
    event.place = place
    return event
}

private func question(
    _ text: String, country: String? = nil, evidence: PlaceEvidence = .place
) -> PlaceQuery {
    PlaceQuery(text: text, folded: text.lowercased(), context: PlaceContext(country: country), evidence: evidence)
}

/// A place in New Mexico, as found by MapQuest.
private func found(
    _ method: Location.Method = .mapquest, text: String? = "anything", evidence: PlaceEvidence? = nil
) throws -> Location {
    let coordinate = try #require(Coordinate(latitude: 35.5, longitude: -105.25))
    return Location(
        coordinate, method: method, precision: .city, confidence: 0.9, matchedText: text, evidence: evidence,
        placeID: "\(method.rawValue):1")
}

private func missing(
    _ provider: GeocodeProvider = .mapquest, until days: Double = 30
) -> GeocodeSettlement.Fresh {
    GeocodeSettlement.Fresh(
        provider: provider, answer: .missing(reason: "no match"), expires: start + days * day)
}

extension TestStore {
    /// Applies an outcome to each waiting event.
    @discardableResult
    fileprivate func look(
        _ generation: String? = "g1", at: Date = start, _ outcome: (UnlocatedEvent) throws -> LocalOutcome
    ) throws -> LocateResult {
        let events = try store.unlocated(limit: 10_000, generation: generation)
        return try store.apply(
            try events.map { (event: $0, outcome: try outcome($0)) }, generation: generation, at: at)
    }

    /// Creates a question to a service for each waiting event.
    @discardableResult
    fileprivate func askAll(_ generation: String? = "g1") throws -> LocateResult {
        try look(generation) { .ask(question($0.place ?? "")) }
    }

    fileprivate func take(
        oldest: Bool = false, _ providers: [GeocodeProvider] = [.mapquest], at: Date = start
    ) throws -> GeocodeJob? {
        try store.takeJob(oldest: oldest, providers: providers, at: at)
    }

    /// Settles the next job.
    @discardableResult
    fileprivate func settleNext(
        _ fresh: GeocodeSettlement.Fresh? = nil, _ end: GeocodeSettlement.End, at: Date = start
    ) throws -> Int {
        let job = try #require(try take(at: at))
        return try store.settle(GeocodeSettlement(job: job, at: at, fresh: fresh, end: end))
    }

    fileprivate func states() throws -> [String] {
        try rows("SELECT state FROM unlocated_v1 ORDER BY enqueued_ms, public_id").compactMap(\.first)
    }

    fileprivate func jobs() throws -> [String] {
        try rows("SELECT key FROM geocode_job ORDER BY key").compactMap(\.first)
    }
}

@Suite struct GeocodeQueueTests {
    @Test func anEventWithoutAPlaceSaysWhy() throws {
        let test = try TestStore()
        let outcomes: [String: LocalOutcome] = [
            "asked": .ask(question("Atlantis")), "unnamed": .unresolved(reason: MissingPlace.notNamed.words),
            "several": .unresolved(reason: MissingPlace.ambiguous.words),
            "off": .unresolved(reason: MissingPlace.notSought.words), "odd": .unresolved(reason: "another reason"),
            "found": .located(try found()),
        ]
        try test.poll(outcomes.keys.sorted().map { report($0, place: nil, title: $0) }, from: "news")
        func reasons() throws -> [String: MissingPlace] {
            var query = EventQuery()
            query.limit = nil
            let events = try test.store.explainingMissingPlaces(of: try test.store.events(query))
            var reasons: [String: MissingPlace] = [:]
            for event in events { reasons[event.event.title] = event.missingPlace }
            return reasons
        }
        let new = try reasons()
        #expect(new.count == 6)
        #expect(Set(new.values) == [.waiting])
        try test.look { outcomes[$0.title] ?? .unresolved(reason: "") }
        let looked = try reasons()
        #expect(looked == ["asked": .waiting, "unnamed": .notNamed, "several": .ambiguous, "off": .notSought])
        try test.settleNext(missing(), .unresolved)
        let settled = try reasons()
        #expect(settled["asked"] == .notFound)
        // The view has the same words.
        let words = try test.rows("SELECT reason FROM unlocated_v1 WHERE place_text = 'Atlantis'").compactMap(\.first)
        #expect(words == [MissingPlace.notFound.words])
    }

    // MARK: - What the city table says

    @Test("Events without a coordinate are given out newest first, with all that tells where they are")
    func unlocatedEvents() throws {
        let test = try TestStore()
        var message = report("m", place: "Santa Fe", title: "Hail", summary: "Hail in town")
        message.language = "en"
        message.category = .message
        message.details = #"{"place_from":"author"}"#
        try test.poll([message], from: "news")
        try test.poll([report("a", place: nil, title: "Ash")], from: "news", at: start + 60)
        try test.poll([quake("us1")], at: start + 60)
        let events = try test.store.unlocated(limit: 10, generation: "g1")
        #expect(events.map(\.title) == ["Ash", "Hail"])
        let waiting = try #require(events.last)
        let expected = UnlocatedEvent(
            handle: waiting.handle, revision: 1, source: "news", category: "message", place: "Santa Fe",
            placeEvidence: .author, title: "Hail", summary: "Hail in town", language: "en")
        #expect(waiting == expected)
        #expect(try test.store.unlocated(limit: 1, generation: nil).map(\.title) == ["Ash"])
    }

    @Test("A located event has a new revision, a history, a place on the map and the change `located`")
    func locatedEvent() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Santa Fe")], from: "news")
        let place = try found(.gazetteer, text: "Santa Fe", evidence: .place)
        let result = try test.look(at: start + 60) { _ in .located(place) }
        #expect(result.located == 1)
        let stored = try #require(try test.store.events(EventQuery()).first)
        #expect(stored.event.location == place)
        #expect(stored.revision == 2)
        #expect(stored.lastChanged == start + 60)
        #expect(try test.rows("SELECT seq, kind FROM changes_v1") == [["1", "new"], ["2", "located"]])
        #expect(stored.changeSequence == 2)
        let history = try test.rows("SELECT revision, source, previous_json FROM event_history_v1")
        let before =
            #"{"latitude":null,"longitude":null,"location_method":null,"location_precision":null,"#
            + #""location_confidence":null,"location_matched_text":null,"location_evidence":null,"#
            + #""location_place_id":null}"#
        #expect(history == [["2", "news", before]])
        let view = try test.rows("SELECT location_evidence, location_place_id FROM events_v1")
        #expect(view == [["place", "gazetteer:1"]])
        var query = EventQuery()
        query.box = BoundingBox(west: -106, south: 35, east: -105, north: 36)
        #expect(try test.store.events(query).count == 1)
        #expect(try test.states().isEmpty)
        #expect(try test.store.statistics().waiting == 0)
    }

    @Test("An outcome for an event that has been revised since is dropped, and the event looked up again")
    func staleOutcome() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Santa Fe")], from: "news")
        let old = try test.store.unlocated(limit: 1, generation: "g1")
        try test.poll([report("a", place: "Lima")], from: "news")
        let place = try found(.gazetteer)
        let result = try test.store.apply(
            old.map { (event: $0, outcome: LocalOutcome.located(place)) }, generation: "g1", at: start)
        #expect(result.stale == 1)
        #expect(result.located == 0)
        #expect(try test.value("SELECT latitude FROM events_v1") == "NULL")
        #expect(try test.store.unlocated(limit: 1, generation: "g1").map(\.place) == ["Lima"])
        let gone = try test.store.apply(
            [(event: UnlocatedEvent(handle: EventHandle(99), category: "news", title: "x"), outcome: .located(place))],
            generation: "g1", at: start)
        #expect(gone.stale == 1)
    }

    @Test("A place found by name can be taken away for another look; those of feeds and of revised events stay")
    func takenAway() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Ändå"), report("b", place: "Lima")], from: "news")
        try test.poll([quake("us1")])
        try test.look { .located(try found(.gazetteer, text: $0.place, evidence: .place)) }
        let (events, last) = try test.store.placedByName(in: "news", after: .start)
        #expect(events.map(\.place) == ["Ändå", "Lima"])
        let event = try #require(last)
        #expect(try test.store.placedByName(in: "news", after: event).last == nil)
        #expect(try test.store.placedByName(in: "quakes", after: .start).events.isEmpty)
        try test.poll([report("b", place: "Lima", summary: "More.")], from: "news", at: start + 30)
        try test.store.unlocate(events, at: start + 60)
        let places = "SELECT upstream_id, latitude, location_method FROM events_v1 ORDER BY upstream_id"
        #expect(
            try test.rows(places) == [
                ["a", "NULL", "NULL"], ["b", "35.5", "gazetteer"], ["us1", "-20.0", "coordinates"],
            ])
        #expect(try test.store.unlocated(limit: 10, generation: "g1").map(\.place) == ["Ändå"])
        let words = "json_extract(previous_json, '$.location_matched_text')"
        let history = "SELECT \(words) FROM event_history_v1 WHERE revision = 3 AND \(words) IS NOT NULL"
        #expect(try test.rows(history) == [["Ändå"]])
        #expect(try test.store.comparedNotPlaces(of: "news") == nil)
        try test.store.setComparedNotPlaces("words", of: "news")
        #expect(try test.store.comparedNotPlaces(of: "news") == "words")
        #expect(try test.store.comparedNotPlaces(of: "more") == nil)
    }

    @Test("What a table has seen is looked at again by another table only")
    func generations() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Nowhere"), report("b", place: "Lima")], from: "news")
        try test.look("g2") { $0.place == "Lima" ? .ask(question("Lima")) : .unresolved(reason: "no place named") }
        #expect(try test.store.unlocated(limit: 10, generation: "g2").isEmpty)
        #expect(try test.store.unlocated(limit: 10, generation: nil).isEmpty)
        for other in ["g1", "g3"] {
            #expect(try test.store.unlocated(limit: 10, generation: other).count == 2, "\(other)")
        }
        let reason = try test.rows("SELECT place_text, asked_json, reason FROM unlocated_v1 WHERE state = 'unresolved'")
        #expect(reason == [["Nowhere", "[]", "no place named"]])
        let place = try found(.gazetteer)
        #expect(try test.look("g3") { _ in .located(place) }.located == 2)
        #expect(try test.jobs().isEmpty)
        try test.poll([report("c", place: "Lima")], from: "news")
        try test.look(nil) { _ in .unresolved(reason: "no table") }
        #expect(try test.store.unlocated(limit: 10, generation: "g1").count == 1)
    }

    // MARK: - Texts that change

    @Test("A re-polled event keeps its place unless the text changes in which it was found")
    func changedTexts() throws {
        typealias Texts = (place: String?, title: String, summary: String?)
        let cases: [(evidence: PlaceEvidence, before: Texts, after: Texts, keeps: Bool)] = [
            (.place, ("Lima", "t", "s"), ("Lima", "T", "S"), true),
            (.place, ("Lima", "t", "s"), ("Quito", "t", "s"), false),
            (.place, ("Lima", "t", "s"), (nil, "t", "s"), true),
            (.author, ("Lima", "t", "s"), ("Lima", "T", "S"), true),
            (.author, ("Lima", "t", "s"), ("Quito", "t", "s"), false),
            (.dateline, ("LIMA", "t", "s"), ("LIMA", "Hail in Quito", "s"), false),
            (.dateline, ("LIMA", "t", "s"), ("LIMA", "t", nil), true),
            (.title, (nil, "Hail in Lima", "s"), (nil, "Hail in Lima", "S"), true),
            (.title, (nil, "Hail in Lima", "s"), (nil, "Hail in Quito", "s"), false),
            (.title, (nil, "Hail in Lima", "s"), ("Lima", "Hail in Lima", "s"), false),
            (.summary, (nil, "t", "Hail in Lima"), (nil, "T", "Hail in Lima"), true),
            (.summary, (nil, "t", "Hail in Lima"), (nil, "t", "Hail in Quito"), false),
            (.summary, (nil, "t", "Hail in Lima"), (nil, "t", nil), true),
        ]
        for (number, entry) in cases.enumerated() {
            let test = try TestStore()
            let (old, new) = (entry.before, entry.after)
            try test.poll([report("a", place: old.place, title: old.title, summary: old.summary)], from: "news")
            let place = try found(.gazetteer, evidence: entry.evidence)
            try test.look { _ in .located(place) }
            try test.poll([report("a", place: new.place, title: new.title, summary: new.summary)], from: "news")
            let hasPlace = try test.store.events(EventQuery()).first?.event.location != nil
            #expect(hasPlace == entry.keeps, "case \(number)")
            let states: [String] = entry.keeps ? [] : ["new"]
            #expect(try test.states() == states, "case \(number)")
            let positions = entry.keeps ? "1" : "0"
            #expect(try test.value("SELECT count(*) FROM event_position") == positions, "case \(number)")
        }
    }

    @Test("An event that waits for a service or is unresolved is looked up again when its texts change")
    func rewordedWhileWaiting() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Lima"), report("b", place: nil, title: "Hail")], from: "news")
        try test.look { $0.place == nil ? .unresolved(reason: "no place named") : .ask(question("Lima")) }
        var same = report("a", place: "Lima")
        same.weight = 0.5
        try test.poll([same], from: "news")
        #expect(try test.store.unlocated(limit: 10, generation: "g1").isEmpty)
        #expect(try test.jobs() == ["lima||"])
        try test.poll(
            [report("a", place: "Lima", title: "Hail"), report("b", place: nil, title: "Hail in Quito")],
            from: "news", at: start + 60)
        #expect(try test.states() == ["new", "new"])
        #expect(try test.store.unlocated(limit: 10, generation: "g1").count == 2)
        #expect(try test.jobs().isEmpty)
        #expect(try test.rows("SELECT DISTINCT reason, asked_json FROM unlocated_v1") == [["NULL", "[]"]])
    }

    // MARK: - Jobs

    @Test("The same question of many events is one job; each event keeps the words in which it asked")
    func oneJobForOneQuestion() throws {
        let test = try TestStore()
        try test.poll((0..<5).map { report("a\($0)", place: $0 == 0 ? "SANTA FE" : "Santa Fe") }, from: "news")
        try test.poll([report("b", place: nil, title: "Hail in Santa Fe"), report("c", place: "Lima")], from: "news")
        let result = try test.look { event in
            .ask(event.place.map { question($0) } ?? question("Santa Fe", evidence: .title))
        }
        #expect(result.asked == 7)
        #expect(try test.jobs() == ["lima||", "santa fe||"])
        var statistics = QueueStatistics()
        (statistics.asked, statistics.jobs) = (7, 2)
        #expect(try test.store.queueStatistics(at: start) == statistics)
        #expect(try test.store.statistics().waiting == 7)

        let job = GeocodeJob(query: question("Santa Fe"))
        let end = GeocodeSettlement.End.located(try found())
        #expect(try test.store.settle(GeocodeSettlement(job: job, at: start, end: end)) == 6)
        #expect(try test.jobs() == ["lima||"])
        let located = try test.rows(
            """
            SELECT location_matched_text, location_evidence, count(*) FROM events_v1 WHERE location_method = 'mapquest'
            GROUP BY 1, 2 ORDER BY 1, 2
            """)
        #expect(located == [["SANTA FE", "place", "1"], ["Santa Fe", "place", "4"], ["Santa Fe", "title", "1"]])
        #expect(try test.value("SELECT count(*) FROM changes_v1 WHERE kind = 'located'") == "6")
    }

    @Test("Another context is another question")
    func contextCounts() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "London"), report("b", place: "London")], from: "news")
        var country: String?
        try test.look { event in
            defer { country = "CA" }
            return .ask(question(event.place ?? "", country: country))
        }
        #expect(try test.jobs() == ["london|CA|", "london||"])
    }

    @Test("The newest job comes first, the oldest on request; a new event makes its job new")
    func orderOfJobs() throws {
        let test = try TestStore()
        for (minute, place) in ["Lima", "Quito", "Oslo"].enumerated() {
            try test.poll([report(place, place: place)], from: "news", at: start + Double(minute) * 60)
        }
        try test.askAll()
        #expect(try test.take()?.query.text == "Oslo")
        #expect(try test.take(oldest: true)?.query.text == "Lima")
        #expect(try test.take(oldest: true)?.query == question("Lima"))
        try test.poll([report("again", place: "Lima")], from: "news", at: start + 600)
        try test.askAll()
        #expect(try test.take()?.query.text == "Lima")
        #expect(try test.take(oldest: true)?.query.text == "Quito")
    }

    @Test("Jobs to be skipped are passed over")
    func skippedJobs() throws {
        let test = try TestStore()
        for (minute, place) in ["Lima", "Quito", "Oslo"].enumerated() {
            try test.poll([report(place, place: place)], from: "news", at: start + Double(minute) * 60)
        }
        try test.askAll()
        let newest = try #require(try test.take()?.id)
        let oldest = try #require(try test.take(oldest: true)?.id)
        for isOldest in [false, true] {
            let job = try test.store.takeJob(
                oldest: isOldest, providers: [.mapquest], skipping: [newest, oldest], at: start)
            #expect(job?.query.text == "Quito")
        }
        let ids = try test.rows("SELECT id FROM geocode_job").compactMap { $0.first.flatMap { Int64($0) } }
        #expect(try test.store.takeJob(oldest: false, providers: [.mapquest], skipping: ids, at: start) == nil)
    }

    @Test("The queue is the same after closing and opening the file")
    func survivesReopening() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Lima"), report("b", place: "Oslo")], from: "news")
        try test.askAll()
        try test.settleNext(missing(), .waiting)
        try test.poll([report("c", place: "Quito")], from: "news")
        let before = try test.store.queueStatistics(at: start)
        let next = try test.take()
        try test.store.close()
        let again = try EventStore(path: test.path)
        #expect(try again.queueStatistics(at: start) == before)
        #expect(try again.takeJob(oldest: false, providers: [.mapquest], at: start) == next)
        #expect(before.new == 1)
        #expect(before.asked == 2)
    }

    @Test("More events than one transaction takes are all located by one answer")
    func manyEventsOfOneJob() throws {
        let test = try TestStore()
        try test.poll((0..<1201).map { report("a\($0)", place: "Lima") }, from: "news")
        #expect(try test.askAll().asked == 1201)
        let place = try found()
        let fresh = GeocodeSettlement.Fresh(provider: .mapquest, answer: .found(place), expires: start + day)
        #expect(try test.settleNext(fresh, .located(place)) == 1201)
        #expect(try test.value("SELECT count(*) FROM event_position") == "1201")
        #expect(try test.states().isEmpty)
        #expect(try test.jobs().isEmpty)
    }

    @Test("An answer for a job that has gone does not reach the job that has taken its row")
    func reusedRow() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Lima")], from: "news")
        try test.askAll()
        let old = try #require(try test.take())
        #expect(try test.store.reset(source: "news", includingEvents: true, at: start) == 1)
        #expect(try test.jobs().isEmpty)
        try test.poll([report("b", place: "Oslo")], from: "news")
        try test.askAll()
        #expect(try test.take()?.id == old.id)
        let end = GeocodeSettlement.End.located(try found())
        #expect(try test.store.settle(GeocodeSettlement(job: old, at: start, end: end)) == 0)
        #expect(try test.states() == ["asked"])
    }

    @Test("An event that is withdrawn, truncated or merged away leaves the queue, and its job with it")
    func eventsThatGo() throws {
        let test = try TestStore()
        var quakes = (0..<4).map { number in
            var event = quake("us\(number)")
            event.location = nil
            event.place = "Place \(number)"
            return event
        }
        try test.poll(quakes)
        try test.askAll()
        let cancel = Withdrawal(provider: "usgs", id: "us0", reason: .cancelled, time: start, evidence: "Cancel")
        try test.poll([], withdrawals: [cancel])
        #expect(try test.jobs() == ["place 1||", "place 2||", "place 3||"])
        quakes[1].aliases = ["us2"]
        try test.poll([quakes[1]])
        #expect(try test.jobs() == ["place 1||", "place 3||"])
        #expect(try test.store.truncate(asOf: start + 80 * 3600).total == 3)
        #expect(try test.jobs().isEmpty)
        #expect(try test.value("SELECT count(*) FROM geocode_queue") == "0")
    }

    @Test("Only the kinds of changes that wake the locator put an event into the queue")
    func queueingKinds() throws {
        let test = try TestStore()
        let feed = ChangeFeed(of: test.store)
        var (seen, queueing): (Set<EventChange.Kind>, Set<EventChange.Kind>) = ([], [])
        func step(_ body: () throws -> Void) throws {
            try test.look { _ in .unresolved(reason: "no place") }
            let (cursor, told) = (feed.told, test.store.signal.newest(of: EventChange.Kind.queueing))
            try body()
            let kinds = Set(try feed.next(after: cursor).changes.map(\.kind))
            seen.formUnion(kinds)
            let isTold = test.store.signal.newest(of: EventChange.Kind.queueing) > told
            #expect(isTold == !kinds.isDisjoint(with: EventChange.Kind.queueing))
            if try test.value("SELECT count(*) FROM geocode_queue WHERE state = 'new'") != "0" {
                queueing.formUnion(kinds)
            }
        }
        func event(_ id: String, place: String, updated: Double, aliases: [String] = []) -> Event {
            var event = quake(id, aliases: aliases, updated: updated)
            event.location = nil
            event.place = place
            return event
        }
        let place = try found(evidence: .place)
        let withdrawal = Withdrawal(
            provider: "usgs", id: "us1", reason: .deleted, time: start + 180, evidence: "deleted")
        try step { try test.poll([event("us1", place: "Lima", updated: 1)]) }
        try step { try test.poll([event("us1", place: "Quito", updated: 2)]) }
        try step { try test.poll([], withdrawals: [withdrawal]) }
        try step { try test.poll([event("us1", place: "Quito", updated: 4)]) }
        try step { try test.look("g2") { _ in .located(place) } }
        try step { try test.poll([event("ci1", place: "Quito", updated: 4)], from: "more") }
        try step { try test.poll([event("us1", place: "Quito", updated: 5, aliases: ["ci1"])]) }
        try step { _ = try test.store.truncate(asOf: start + 100 * 3600) }
        #expect(seen == Set(EventChange.Kind.allCases))
        #expect(queueing == EventChange.Kind.queueing)
    }

    // MARK: - Services' answers

    @Test("Answers are kept with their expiry, and truncation removes what has expired")
    func keptAnswersExpire() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Lima")], from: "news")
        try test.poll([report("b", place: "Oslo")], from: "news", at: start + 60)
        try test.look { .ask(question($0.place ?? "", country: "PE")) }
        let place = try found()
        let answer = GeocodeSettlement.Fresh(provider: .mapquest, answer: .found(place), expires: start + day)
        try test.settleNext(answer, .located(place))
        try test.settleNext(missing(until: 2), .waiting)
        var kept = place
        kept.matchedText = "Oslo"
        let oslo = question("Oslo", country: "PE", evidence: .title)
        let lima = question("Lima", country: "PE")
        #expect(try test.store.keptAnswers(to: oslo, at: start) == [.mapquest: .found(kept)])
        #expect(try test.store.keptAnswers(to: question("Oslo"), at: start) == [:])
        #expect(try test.store.keptAnswers(to: lima, at: start) == [.mapquest: .missing(reason: "no match")])
        let both = QueueStatistics.Kept(places: 1, misses: 1)
        #expect(try test.store.queueStatistics(at: start).kept == [.mapquest: both])
        #expect(try test.store.keptAnswers(to: oslo, at: start + day) == [:])
        _ = try test.store.truncate(asOf: start + day)
        #expect(try test.rows("SELECT key FROM place_cache") == [["lima|PE|"]])
        _ = try test.store.truncate(asOf: start + 2 * day)
        #expect(try test.value("SELECT count(*) FROM place_cache") == "0")
    }

    @Test("A job waits for the services that have not answered it, and a kept place settles it without any")
    func servicesThatHaveAnswered() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Lima")], from: "news")
        try test.askAll()
        #expect(try test.take([]) == nil)
        try test.settleNext(missing(), .waiting)
        #expect(try test.take() == nil)
        let job = try #require(try test.take([.nominatim]))
        #expect(job.answers == [.mapquest: .missing(reason: "no match")])
        #expect(try test.states() == ["asked"])

        // A question on demand stores its answer; a later event uses it.
        let place = try found(.nominatim)
        let fresh = GeocodeSettlement.Fresh(provider: .nominatim, answer: .found(place), expires: start + day)
        let asked = GeocodeJob(query: question("Lima"))
        #expect(
            try test.store.settle(GeocodeSettlement(job: asked, at: start, fresh: fresh, end: .located(place))) == 1)
        try test.poll([report("b", place: "Lima")], from: "news")
        try test.askAll()
        var kept = place
        kept.matchedText = "Lima"
        let answers: [GeocodeProvider: ProviderAnswer] = [
            .mapquest: .missing(reason: "no match"), .nominatim: .found(kept),
        ]
        #expect(try test.take([])?.answers == answers)
        #expect(try test.take([], at: start + 2 * day) == nil)
        let left: [GeocodeProvider: ProviderAnswer] = [.mapquest: .missing(reason: "no match")]
        #expect(try test.take([.nominatim], at: start + 2 * day)?.answers == left)
    }

    @Test("An unresolved job says what was asked, and opens for another service or when a miss has expired")
    func unresolvedJobs() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Lima"), report("b", place: "Lima")], from: "news")
        try test.askAll()
        try test.settleNext(missing(), .unresolved)
        #expect(try test.take() == nil)
        let (asked, until) = (start.milliseconds, (start + 30 * day).milliseconds)
        let json = #"[{"provider":"mapquest","reason":"no match","at_ms":\#(asked),"until_ms":\#(until)}]"#
        let view = try test.rows("SELECT DISTINCT state, place_text, asked_json, reason FROM unlocated_v1")
        #expect(view == [["unresolved", "Lima", json, "no configured service knows the place"]])
        var statistics = QueueStatistics()
        statistics.unresolved = 2
        statistics.kept = [.mapquest: QueueStatistics.Kept(misses: 1)]
        #expect(try test.store.queueStatistics(at: start) == statistics)
        #expect(try test.store.statistics().waiting == 0)

        // Another event with the same question is unresolved at once.
        try test.poll([report("c", place: "Lima")], from: "news")
        try test.askAll()
        #expect(try test.states() == ["unresolved", "unresolved", "unresolved"])

        #expect(try test.store.reopenJobs(providers: [.mapquest], at: start) == 0)
        #expect(try test.store.reopenJobs(providers: [.mapquest, .nominatim], at: start) == 1)
        #expect(try test.states() == ["asked", "asked", "asked"])
        #expect(try test.take([.mapquest, .nominatim])?.query.text == "Lima")
        #expect(try test.store.reopenJobs(providers: [.mapquest], at: start) == 0)
        #expect(try test.states() == ["unresolved", "unresolved", "unresolved"])
        #expect(try test.store.reopenJobs(providers: [.mapquest], at: start + 30 * day) == 1)
        #expect(try test.take(at: start + 30 * day)?.answers == [:])
    }

    @Test("Without any service jobs are unresolved, and open when one is configured")
    func noService() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Lima")], from: "news")
        try test.askAll()
        #expect(try test.store.reopenJobs(providers: [], at: start) == 0)
        #expect(try test.rows("SELECT state, asked_json FROM unlocated_v1") == [["unresolved", "[]"]])
        #expect(try test.store.reopenJobs(providers: [.nominatim], at: start) == 1)
        #expect(try test.take([.nominatim])?.query.text == "Lima")
    }

    @Test("Words that a provider deletes leave the queue and the kept answers too")
    func erasedWords() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Zanzibar Villas"), report("b", place: "zanzibar shore")], from: "news")
        try test.askAll()
        let place = try found()
        let fresh = GeocodeSettlement.Fresh(provider: .mapquest, answer: .found(place), expires: start + day)
        try test.settleNext(fresh, .located(place))
        try test.settleNext(missing(), .unresolved)
        #expect(try test.value("SELECT count(*) FROM place_cache") == "2")
        let deletions = ["a", "b"].map {
            Withdrawal(provider: "reuters", id: $0, reason: .deleted, evidence: "Deleted", erases: true)
        }
        #expect(try test.poll([], from: "news", withdrawals: deletions).withdrawn == 2)
        #expect(try test.value("SELECT count(*) FROM place_cache") == "0")
        _ = try test.store.truncate(asOf: start)
        try test.store.close()
        for file in [test.path, test.path + "-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            let text = String(decoding: bytes, as: UTF8.self).lowercased()
            #expect(!text.contains("zanzibar"), "\(file)")
        }
    }

    @Test("An answer that comes after its words were deleted is not kept")
    func answerAfterErasure() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Zanzibar Villas")], from: "news")
        try test.askAll()
        let job = try #require(try test.take())
        let deletion = Withdrawal(provider: "reuters", id: "a", reason: .deleted, evidence: "Deleted", erases: true)
        try test.poll([], from: "news", withdrawals: [deletion])
        let settlement = GeocodeSettlement(job: job, at: start, fresh: missing(), end: .unresolved)
        #expect(try test.store.settle(settlement) == 0)
        #expect(try test.value("SELECT count(*) FROM place_cache") == "0")
    }

    // MARK: - Quotas

    @Test("Requests count by day and by calendar month, also across a restart")
    func quotas() throws {
        let test = try TestStore()
        func reserve(_ store: EventStore, _ at: Date, _ provider: GeocodeProvider = .mapquest) throws
            -> ReservationAnswer
        {
            try store.reserve(ProviderReservation(provider: provider, at: at, dailyQuota: 2, monthlyQuota: 3))
        }
        #expect(try test.store.providerUsage(at: start) == [:])
        #expect(try reserve(test.store, start - 1) == .granted)
        #expect(try reserve(test.store, start) == .granted)
        #expect(try reserve(test.store, start + 3600) == .granted)
        #expect(try reserve(test.store, start + 3601) == .dayIsFull)
        #expect(try reserve(test.store, start + 3601, .nominatim) == .granted)
        try test.store.close()
        let again = try EventStore(path: test.path)
        let usage = ProviderUsage(lastRequest: start + 3600, today: 2, thisMonth: 2)
        #expect(try again.providerUsage(at: start + 7200)[.mapquest] == usage)
        #expect(try reserve(again, start + 7200) == .dayIsFull)
        #expect(try reserve(again, start + day) == .granted)
        #expect(try reserve(again, start + day) == .monthIsFull)
        #expect(try reserve(again, start + 31 * day) == .granted)
        let free = ProviderReservation(provider: .mapquest, at: start + day)
        #expect(try again.reserve(free) == .granted)
        _ = try again.truncate(asOf: start + 500 * day)
        #expect(try again.providerUsage(at: start + 500 * day) == [:])
    }

    @Test("One source makes at most half of a day's requests, which are counted for it")
    func shares() throws {
        let test = try TestStore()
        func reserve(_ source: String?, _ at: Date = start) throws -> ReservationAnswer {
            try test.store.reserve(
                ProviderReservation(provider: .mapquest, at: at, dailyQuota: 5, source: source))
        }
        for _ in 0..<3 { #expect(try reserve("news") == .granted) }
        #expect(try reserve("news") == .shareIsFull)
        #expect(try reserve("quakes") == .granted)
        #expect(try reserve(nil) == .granted)
        #expect(try reserve("quakes") == .dayIsFull)
        let usage = ProviderUsage(lastRequest: start, today: 5, thisMonth: 5)
        #expect(try test.store.providerUsage(at: start) == [.mapquest: usage])
        #expect(try reserve("news", start + day) == .granted)
        _ = try test.store.truncate(asOf: start + 4 * day)
        #expect(try test.value("SELECT count(*) FROM provider_usage WHERE period LIKE '% %'") == "0")
    }

    @Test("Sources take turns: the one that has asked least today is next, the oldest job in its turn")
    func sourcesTakeTurns() throws {
        let test = try TestStore()
        try test.poll([report("a", place: "Taos")], from: "news", at: start)
        try test.poll((0..<30).map { report("v\($0)", place: "Villa \($0)") }, at: start + 60)
        try test.askAll()
        var order: [String?] = []
        for _ in 0..<3 {
            let job = try #require(try test.take(at: start + 60))
            order.append(job.source)
            let reservation = ProviderReservation(provider: .mapquest, at: start + 60, source: job.source)
            #expect(try test.store.reserve(reservation) == .granted)
            let fresh = missing()
            _ = try test.store.settle(GeocodeSettlement(job: job, at: start, fresh: fresh, end: .unresolved))
        }
        #expect(order == ["quakes", "news", "quakes"])
        #expect(try test.take(oldest: true)?.source == "quakes")
        #expect(
            try test.store.takeJob(oldest: false, providers: [.mapquest], without: ["quakes"], at: start) == nil)
    }

    // MARK: - Size

    @Test func agesAreThoseOfWhatHasWaitedLongest() throws {
        let test = try TestStore()
        #expect(try test.store.queueAges() == QueueAges())
        try test.poll([report("a", place: "Chimayo"), report("b", place: "Truchas")], from: "news", at: start + 60)
        try test.poll([report("c", place: "Taos")], from: "news", at: start + 3600)
        #expect(try test.store.queueAges() == QueueAges(newEvents: 3, oldestNew: start + 60))
        try test.askAll()
        try test.poll([report("d", place: "Taos")], from: "news", at: start + 7200)
        #expect(
            try test.store.queueAges()
                == QueueAges(
                    newEvents: 1, oldestNew: start + 7200, waitingQuestions: 3, oldestQuestion: start + 60))
    }

    @Test("No step of the queue walks all that wait")
    func everyStepUsesAnIndex() throws {
        let test = try TestStore()
        let cases: [(sql: String, index: String)] = [
            (QueueSQL.unlocated[0], "INDEX geocode_queue_state (state=?)"),
            (QueueSQL.unlocated[1], "INDEX geocode_queue_generation (generation=?)"),
            (QueueSQL.unlocated[2], "INDEX geocode_queue_generation (generation<?)"),
            (QueueSQL.unlocated[3], "INDEX geocode_queue_generation (generation>?)"),
            (QueueSQL.waitingEvent, "q USING INTEGER PRIMARY KEY"),
            (QueueSQL.missingPlace, "q USING INTEGER PRIMARY KEY"),
            (QueueSQL.askers, "INDEX geocode_queue_job (job_id=?)"),
            (QueueSQL.nextJobs(oldest: false), "INDEX geocode_job_state (state=? AND answered=?)"),
            (QueueSQL.nextJobs(oldest: true), "INDEX geocode_job_state (state=? AND answered=?)"),
            (QueueSQL.jobs, "USING INTEGER PRIMARY KEY (rowid>?)"),
            (QueueSQL.answers, "USING PRIMARY KEY (key=?)"),
            (QueueSQL.deleteAnswers, "USING PRIMARY KEY (key=? AND provider=?)"),
            (QueueSQL.newEvents, "COVERING INDEX geocode_queue_state (state=?)"),
            (QueueSQL.newEventAges, "COVERING INDEX geocode_queue_state (state=?)"),
            (QueueSQL.askedEvents, "COVERING INDEX geocode_queue_job (job_id=?)"),
            (QueueSQL.waitingJobs, "COVERING INDEX geocode_job_state (state=?)"),
            (QueueSQL.waitingJobAges, "COVERING INDEX geocode_job_state (state=?)"),
        ]
        for (sql, index) in cases {
            var plan: [String] = []
            try test.store.maintain { connection in
                let explain = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
                while try explain.step() { plan.append(explain.string(3)) }
            }
            #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }
}
