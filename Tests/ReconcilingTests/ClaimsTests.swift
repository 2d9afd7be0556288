import Model
import Reconciling
import Testing

/// For whom a source speaks.
@Suite struct ClaimsTests {
    private let identity = "https://api.weather.example/cap"

    private func authority(
        _ trustedFor: [String] = [], domain: String? = "weather.example", kindProvider: String? = nil
    ) -> Authority {
        Authority(
            of: SourceSettings(name: "nws", kind: "cap", url: identity, trustedFor: trustedFor),
            kindProvider: kindProvider, domain: domain)
    }

    private func verdict(
        on provider: String = "nws@noaa.gov", of authority: Authority, holders: [(String, String?)] = [],
        showing: [String] = [], bound: Int64 = 0
    ) -> Claims.Verdict {
        Claims.verdict(
            on: provider, of: authority, holders: { holders.map { Claims.Holder(identity: $0.0, domain: $0.1) } },
            showing: { showing.map { Claims.Holder(identity: $0, domain: nil) } }, bound: { bound })
    }

    @Test func whatTheOperatorHasWrittenDecidesFirst() {
        #expect(verdict(on: "usgs", of: authority(), holders: [(identity, nil)]) == .fails)
        #expect(verdict(on: "usgs", of: authority(["usgs"])) == .holds, "no sender")
        #expect(verdict(of: authority(["NWS@noaa.gov"]), holders: [("b", nil)]) == .takes)
        #expect(verdict(of: authority(["*"]), holders: [("b", nil)]) == .holds, "all senders is not this one by name")
    }

    @Test func aSenderIsForWhoShowedItFirst() {
        #expect(verdict(of: authority(), holders: [("b", nil), (identity, nil)]) == .holds)
        #expect(verdict(of: authority(), holders: [("b", "other.example")]) == .fails)
        #expect(verdict(of: authority(), holders: [("b", "weather.example")]) == .holds)
        #expect(verdict(of: authority(domain: nil), holders: [("b", nil)]) == .fails, "no domain is not the same one")
    }

    @Test func whoShowsItsEventsCountsWhereNothingIsNoted() {
        #expect(verdict(of: authority(), showing: ["b", identity]) == .holds)
        #expect(verdict(of: authority(), showing: ["b"]) == .fails)
        #expect(verdict(of: authority(), holders: [("b", nil)], showing: [identity]) == .fails)
    }

    @Test func aSenderThatNobodyHasShownIsBound() {
        #expect(verdict(of: authority()) == .binds && verdict(of: authority(), bound: 1999) == .binds)
        #expect(verdict(of: authority(), bound: 2000) == .fails)
        #expect(verdict(of: authority(), holders: [(identity, nil)], bound: 2000) == .holds)
    }

    // MARK: - An answer

    private func answer() -> FeedAnswer {
        var withdrawal = Withdrawal(provider: "usgs", id: "us3", reason: .deleted, evidence: "")
        withdrawal.replacements = ["us4"]
        let own = Event(provider: identity, id: "a", category: .other, title: "Own")
        return FeedAnswer(
            events: [own, quake("us1", aliases: ["ci1"]), report("g1")], withdrawals: [withdrawal],
            coverage: Coverage(provider: "usgs", generated: .init(milliseconds: start), window: nil, present: []))
    }

    @Test func whatFailsBecomesTheSourcesOwn() {
        var claims = Claims(of: authority())
        let judged = claims.judge(answer()) { $0 == "gvp" }
        #expect(judged.events.map(\.provider) == [identity, identity, "gvp"])
        #expect(judged.events.map(\.names) == [["a"], ["usgs,us1", "usgs,ci1"], ["g1"]])
        #expect(judged.withdrawals.map(\.provider) == [identity] && judged.withdrawals.map(\.id) == ["usgs,us3"])
        #expect(judged.withdrawals.first?.replacements == ["usgs,us4"] && judged.coverage == nil)
        #expect(claims.unproved == ["usgs": 2] && claims.providers == ["gvp", "usgs"])
    }

    @Test func whatHoldsStaysAsItIs() {
        var claims = Claims(of: authority())
        var asked: [String] = []
        let judged = claims.judge(answer()) {
            asked.append($0)
            return true
        }
        #expect(judged.events == answer().events && judged.withdrawals == answer().withdrawals)
        #expect(judged.coverage == answer().coverage && claims.unproved.isEmpty)
        #expect(asked == ["usgs", "gvp"], "each is asked once, the own identity is not")
    }

    @Test func whatComesWithoutEventsIsJudged() {
        var alone = answer()
        (alone.events, alone.coverage) = ([], nil)
        var claims = Claims(of: authority())
        #expect(claims.judge(alone) { _ in false }.withdrawals.map(\.provider) == [identity])
        (alone.withdrawals, alone.coverage) = ([], answer().coverage)
        claims = Claims(of: authority())
        #expect(claims.judge(alone) { _ in false }.coverage == nil && claims.providers == ["usgs"])
    }

    @Test func theProviderOfTheKindIsNoClaim() {
        var claims = Claims(of: authority(kindProvider: "gvp"))
        let judged = claims.judge(answer()) { $0 == "gvp" }
        #expect(claims.providers == ["usgs"] && claims.otherName(of: judged.events[2]) == nil)
    }

    // MARK: - Two identities

    @Test func theOtherNameIsThatOfTheOtherIdentity() {
        var claims = Claims(of: authority())
        let judged = claims.judge(answer()) { $0 == "gvp" }
        #expect(claims.otherName(of: judged.events[0]) == nil, "it claims nothing")
        let (failed, held) = (claims.otherName(of: judged.events[1]), claims.otherName(of: judged.events[2]))
        #expect(failed?.provider == "usgs" && failed?.id == "us1")
        #expect(held?.provider == identity && held?.id == "gvp,g1")
    }

    @Test func theRowMovesIfTheSourceAloneShowsIt() {
        var claims = Claims(of: authority())
        let judged = claims.judge(answer()) { $0 == "gvp" }
        let (failed, held) = (judged.events[1], judged.events[2])
        #expect(claims.adoption(for: failed, by: 1, links: [1]) == .moves)
        #expect(claims.adoption(for: held, by: 1, links: [1]) == .moves)
        #expect(claims.adoption(for: failed, by: 1, links: [1, 2]) == .unlinks, "it must not lengthen its life")
        #expect(claims.adoption(for: held, by: 1, links: [1, 2]) == .stays)
        #expect(claims.adoption(for: failed, by: 1, links: [2]) == .stays)
        #expect(claims.adoption(for: failed, by: 1, links: []) == .stays)
    }
}
