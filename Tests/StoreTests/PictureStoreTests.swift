import Foundation
import Model
import Testing

@testable import Pictures
@testable import Store

extension PictureStore {
    /// Takes all steps of `followOn`, with its result and errors.
    fileprivate func follow(_ store: EventStore) throws(StoreError) -> Bool {
        var isNews = false
        while true {
            let step = try followOn(store)
            isNews = isNews || step.isNews
            if step.isDone { return isNews }
        }
    }
}

@Suite struct PictureStoreTests {
    private let test: TestStore
    private let pictures: PictureStore
    private let host = "https://pictures.example.org/"

    init() throws {
        test = try TestStore()
        pictures = PictureStore(
            beside: test.path, hosts: PictureHosts(["pictures.example.org"]), maximumBytes: 1_000, requestsPerDay: 5)
        try pictures.prepare()
    }

    private func message(_ id: String, _ picture: String?, updated: Double? = nil) -> Event {
        Event(
            provider: "twitter", id: id, time: start - 3600, updated: updated.map { start + $0 }, category: .message,
            title: "A message", author: Author(name: "A", picture: picture))
    }

    private func content(_ size: Int = 10, byte: UInt8 = 7) -> PictureContent {
        PictureContent(format: .png, data: Data(repeating: byte, count: size))
    }

    private func settle(
        _ link: String, _ outcome: PictureSettlement.Outcome, due: TimeInterval = 604_800, at time: Date = start
    ) throws {
        try pictures.settle(
            PictureSettlement(key: PictureKey.of(link), outcome: outcome, due: time + due, redirects: 0), at: time)
    }

    private func take(at time: Date = start) throws -> String? {
        if case .job(let job) = try pictures.take(at: time) { return job.link }
        return nil
    }

    private func kept(_ link: String) throws -> PictureContent? { try pictures.picture(PictureKey.of(link)) }

    @Test func listedLinksAloneAreNamedTheNewestFirst() throws {
        try test.poll([message("1", host + "old")])
        try test.poll(
            [message("2", host + "new"), message("3", "http://192.168.1.1/camera"), message("4", nil)],
            at: start + 60)
        #expect(try pictures.follow(test.store))
        #expect(try pictures.statistics(at: start).named == 2)
        #expect(try take(at: start + 60) == host + "new")
        #expect(try take(at: start + 60) == host + "old")
        #expect(try pictures.take(at: start + 60) == .none(until: start + 3660), "an attempt is noted first")
        #expect(try !pictures.follow(test.store))
    }

    @Test func theLinksThatWereNamedLastAreKept() throws {
        var few = pictures
        few.mostLinks = 3
        try test.poll((1...5).map { message("\($0)", host + "\($0)") })
        try test.poll(
            [message("6", host + "6"), message("7", host + String(repeating: "x", count: 500))], at: start + 60)
        #expect(try few.follow(test.store))
        #expect(try few.statistics(at: start).named == 3)
        #expect(try take(at: start + 60) == host + "6", "a link of more than 512 bytes is not followed")
        try test.poll([message("5", host + "5", updated: 60)], at: start + 120)
        #expect(try few.follow(test.store) == few.follow(test.store))
        #expect(try few.statistics(at: start).named == 3)
    }

    @Test func allEventsAreReadInPagesWithTheChangesMeanwhile() throws {
        try test.poll((0..<1500).map { message("\($0)", host + "\($0)") })
        #expect(try !pictures.followOn(test.store).isDone)
        #expect(try pictures.followOn(test.store) == (true, false))
        #expect(try pictures.statistics(at: start).named == 1000)
        try test.poll([message("0", host + "another", updated: 60)], at: start + 60)
        #expect(try pictures.follow(test.store))
        #expect(try pictures.statistics(at: start).named == 1500)
        #expect(try take(at: start + 60) != nil)
        #expect(try pictures.followOn(test.store) == (false, true))
    }

    @Test func aClockThatWasWrongPutsNothingOffForYears() throws {
        try test.poll([message("1", host + "a")])
        _ = try pictures.follow(test.store)
        try settle(host + "a", .failed("timeout"), at: start + 14 * 365 * 86_400)
        #expect(try take() == host + "a")
    }

    @Test func aPictureGoesWithTheLastEventThatNamesIt() throws {
        try test.poll([message("1", host + "a"), message("2", host + "a")])
        _ = try pictures.follow(test.store)
        try settle(host + "a", .kept(content(), Validators()))
        try test.poll([message("1", host + "b", updated: 1)])
        _ = try pictures.follow(test.store)
        #expect(try kept(host + "a") == content())
        _ = try test.store.truncate(asOf: start + 86_400 * 30)
        _ = try pictures.follow(test.store)
        #expect(try kept(host + "a") == nil)
        #expect(try pictures.statistics(at: start).named == 0)
    }

    @Test(arguments: [false, true])
    func erasureTakesThePictureAndItsBytes(wasWithdrawn: Bool) throws {
        try test.poll([message("1", host + "face")])
        _ = try pictures.follow(test.store)
        let secret = Data(Array("the face of somebody".utf8))
        try settle(host + "face", .kept(PictureContent(format: .png, data: secret), Validators()))
        func withdraw(_ reason: Withdrawal.Reason, erases: Bool) throws {
            let withdrawal = Withdrawal(
                provider: "twitter", id: "1", takesFamily: false, reason: reason, time: start + 5, evidence: "delete",
                erases: erases, replacements: [])
            try test.poll([], withdrawals: [withdrawal])
            _ = try pictures.follow(test.store)
        }
        if wasWithdrawn {
            try withdraw(.cancelled, erases: false)
            #expect(try kept(host + "face") != nil, "a withdrawn event still names its picture")
        }
        try withdraw(.deleted, erases: true)
        #expect(try kept(host + "face") == nil)
        let files = try FileManager.default.contentsOfDirectory(atPath: test.directory.path)
        for name in files where name.contains("pictures") {
            let data = try Data(contentsOf: URL(fileURLWithPath: test.directory.path + "/" + name))
            #expect(data.range(of: secret) == nil && data.range(of: Data((host + "face").utf8)) == nil, "\(name)")
        }
        #expect(files.contains("events.sqlite-pictures") && !files.contains("events.sqlite-pictures-journal"))
    }

    @Test func anAnswerThatComesAfterItsEventHasGoneIsNotKept() throws {
        try test.poll([message("1", host + "a")])
        _ = try pictures.follow(test.store)
        #expect(try take() == host + "a")
        _ = try test.store.truncate(asOf: start + 86_400 * 30)
        _ = try pictures.follow(test.store)
        try settle(host + "a", .kept(content(), Validators()))
        #expect(try kept(host + "a") == nil)
        #expect(try pictures.statistics(at: start).bytes == 0)
    }

    @Test func whatWasNamedLongestAgoMakesRoomAndComesBackWithANewEvent() throws {
        for number in 0..<3 {
            try test.poll([message("\(number)", host + "\(number)")], at: start + Double(number))
            _ = try pictures.follow(test.store)
            try settle(host + "\(number)", .kept(content(400), Validators()), at: start)
        }
        #expect(try kept(host + "0") == nil)
        #expect(try kept(host + "1") != nil && kept(host + "2") != nil)
        #expect(try take(at: start + 3600) == nil, "it would only push others out")
        try test.poll([message("9", host + "0")], at: start + 9)
        #expect(try pictures.follow(test.store))
        #expect(try take(at: start + 3600) == host + "0")
    }

    @Test func aRefusalKeepsTheLastGoodPictureAndGoneDropsIt() throws {
        try test.poll([message("1", host + "a")])
        _ = try pictures.follow(test.store)
        try settle(host + "a", .kept(content(), Validators(etag: "\"1\"")))
        try settle(host + "a", .failed("found no picture"))
        #expect(try kept(host + "a") == content())
        #expect(try pictures.statistics(at: start).failed == 1)
        #expect(try pictures.statistics(at: start).reasons == ["found no picture": 1])
        guard case .job(let job) = try pictures.take(at: start + 604_801) else {
            Issue.record("nothing is due after a week")
            return
        }
        #expect(job.validators.etag == "\"1\"" && job.failures == 1)
        try settle(host + "a", .gone("answered 404"))
        #expect(try kept(host + "a") == nil)
        guard case .job(let again) = try pictures.take(at: start + 2_000_000) else {
            Issue.record("a host that changes its mind is not asked")
            return
        }
        #expect(again.validators.isEmpty)
    }

    @Test func requestsOfADayAreBounded() throws {
        try test.poll((0..<9).map { message("\($0)", host + "\($0)") })
        _ = try pictures.follow(test.store)
        for _ in 0..<5 { #expect(try take() != nil) }
        #expect(try pictures.take(at: start) == .none(until: start + 86_400))
        #expect(try take(at: start + 86_400) != nil)
    }

    @Test func otherHostsAndACursorThatIsTooOldBeginAnew() throws {
        try test.poll([message("1", host + "a"), message("2", "https://more.example.org/b")])
        _ = try pictures.follow(test.store)
        try settle(host + "a", .kept(content(), Validators()))
        let others = PictureStore(beside: test.path, hosts: PictureHosts(["more.example.org"]))
        #expect(try others.follow(test.store))
        #expect(try kept(host + "a") == nil)
        #expect(try pictures.statistics(at: start).named == 1)
        try others.write { try PictureStore.set("cursor", "999999", $0) }
        _ = try others.follow(test.store)
        #expect(try others.statistics(at: start).named == 1)
    }

    @Test func volcanoesNamePicturesUntilTheyGo() throws {
        let at = try #require(Coordinate(latitude: 37.748, longitude: 14.993))
        let etna = PointOfInterest(
            kind: .volcano, number: 211_060, name: "Etna", foldedName: "etna", coordinate: at, picture: host + "etna")
        _ = try test.store.seed([etna], at: start)
        #expect(try pictures.follow(test.store))
        try settle(host + "etna", .kept(content(), Validators()))
        #expect(try kept(host + "etna") == content())
        #expect(try !pictures.follow(test.store))
        let more = PictureStore(beside: test.path, hosts: PictureHosts(["pictures.example.org", "more.example.org"]))
        _ = try more.follow(test.store)
        #expect(try kept(host + "etna") == content(), "all events are read anew, and the volcano is still there")
    }

    @Test func aDamagedFileOrOneOfAnotherVersionIsMadeAnew() throws {
        #expect(try !pictures.prepare())
        #expect(pictures.isWhole)
        try Data("no database".utf8).write(to: URL(fileURLWithPath: pictures.path))
        #expect(!pictures.isWhole)
        let error = #expect(throws: StoreError.self) { try pictures.statistics(at: start) }
        #expect(error?.message == "The file of pictures \(pictures.path) is damaged or no SQLite database")
        #expect(try pictures.prepare())
        #expect(try pictures.statistics(at: start) == PictureStatistics())
        try pictures.write { try $0.execute("PRAGMA user_version = 7") }
        try pictures.prepare()
        #expect(try pictures.statistics(at: start) == PictureStatistics())
    }

    @Test func withoutAFileThereIsNoPicture() throws {
        pictures.remove()
        #expect(try pictures.picture(PictureKey.of(host)) == nil)
        #expect(try pictures.picture("../../etc/passwd") == nil)
        let error = #expect(throws: StoreError.self) { try pictures.statistics(at: start) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.hasPrefix("The file of pictures \(pictures.path) cannot be opened") == true)
    }
}
